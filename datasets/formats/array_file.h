// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "datasets/formats/array.h"

namespace conoscope::formats {

/// What kinds of file hold several arrays by name.
enum class ArchiveKind { npz, safetensors, hdf5 };

/// Told by the file's first bytes, not by its name (except that a .safetensors file, which has no
/// mark, may be cut short); none: a file of one array, or of something else.
/// throws  std::invalid_argument: it cannot be opened, or is a pickle (refuse_pickle())
std::optional<ArchiveKind> archive_kind(const std::string& path);

/// The arrays of one file. What its functions do and throw is what Npz, Safetensors and Hdf5 say.
class NamedArrays {
 public:
  virtual ~NamedArrays() = default;
  virtual std::vector<std::string> names() const = 0;
  virtual bool has(const std::string& key) const = 0;
  virtual ArrayLayout layout(const std::string& key) const = 0;
  virtual Array get(const std::string& key) const = 0;
  virtual void read_rows(const std::string& key, std::span<const std::int64_t> rows,
                         const RowVisitor& visit) const = 0;
};

/// A file of named arrays that may be larger than the memory: HDF5, .safetensors, else .npz.
///
/// HDF5 and .npz are read by libraries that bring thirty others along, so these readers lie in
/// libraries of their own (reader_library.h), which the first such file loads.
class ArrayFile {
 public:
  explicit ArrayFile(const std::string& path);
  /// throws  std::invalid_argument, beginning with the path: it is no such file; std::runtime_error:
  ///         the reader's library is missing
  ArrayFile(const std::string& path, ArchiveKind kind);

  const std::string& path() const { return path_; }
  bool is_hdf5() const { return kind_ == ArchiveKind::hdf5; }

  std::vector<std::string> names() const { return file_->names(); }
  bool has(const std::string& key) const { return file_->has(key); }
  ArrayLayout layout(const std::string& key) const { return file_->layout(key); }
  Array get(const std::string& key) const { return file_->get(key); }
  void read_rows(const std::string& key, std::span<const std::int64_t> rows,
                 const RowVisitor& visit) const {
    file_->read_rows(key, rows, visit);
  }

 private:
  std::string path_;
  ArchiveKind kind_;
  std::shared_ptr<const NamedArrays> file_;
};

}  // namespace conoscope::formats
