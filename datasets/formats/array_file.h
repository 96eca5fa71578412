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

/// A file of named arrays that may be larger than the memory: HDF5, .safetensors, else .npz. What
/// its functions do and throw is what Hdf5's, Safetensors' and Npz's do.
class ArrayFile {
 public:
  explicit ArrayFile(const std::string& path);

  const std::string& path() const { return path_; }
  bool is_hdf5() const;

  std::vector<std::string> names() const;
  bool has(const std::string& key) const;
  ArrayLayout layout(const std::string& key) const;
  Array get(const std::string& key) const;
  void read_rows(const std::string& key, std::span<const std::int64_t> rows,
                 const RowVisitor& visit) const;

 private:
  class Kind;
  template <typename File>
  class Of;
  std::string path_;
  std::shared_ptr<const Kind> file_;
};

}  // namespace conoscope::formats
