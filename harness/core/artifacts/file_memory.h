// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace conoscope::core {

// Whole files in memory. Small ones are read and written: to map a file, to touch what is mapped and
// to unmap it costs several times as much. Large ones are mapped.

/// The bytes of a small file; nothing where it cannot be read.
std::optional<std::string> file_text(const std::filesystem::path& file);

/// Reads files into memory that cannot be written to, and that goes when its last user does.
class FileReader {
 public:
  /// Bytes that a file of this size takes of a reader's room, where small ones stand side by side.
  static std::size_t room_of(std::size_t size);

  /// throws  std::bad_alloc: there is no such room
  explicit FileReader(std::size_t room);
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;
  /// From now on what was read cannot be changed: a plugin that tries to crashes.
  ~FileReader();

  /// A file for which there is no room left is mapped. `size`: that of the file.
  /// throws  DamagedArtifact: it cannot be opened; std::system_error: nor read
  std::shared_ptr<void> read(const std::filesystem::path& file, std::size_t& size);

 private:
  void* read_into_room(int fd, std::size_t size);

  std::shared_ptr<void> room_;
  std::size_t length_ = 0, used_ = 0;
};

/// A file that does not exist yet, as zeros to be filled.
class NewFile {
 public:
  /// throws  std::system_error: it cannot be written, for what is known now
  NewFile(std::filesystem::path file, std::size_t length);

  char* bytes() const { return bytes_.get(); }

  /// throws  std::system_error: it cannot be written
  void finish();

 private:
  [[noreturn]] void refuse(int error) const;

  std::filesystem::path file_;
  std::size_t length_;
  std::shared_ptr<char> bytes_;
};

}  // namespace conoscope::core
