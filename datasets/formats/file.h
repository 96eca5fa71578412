// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

namespace conoscope::formats {

/// A whole file, mapped read-only for as long as the object lives. Pages are read when touched, so
/// a file larger than the memory can be converted.
class MappedFile {
 public:
  /// throws  std::invalid_argument: the file cannot be opened or is not a regular file
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const char> bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace conoscope::formats
