#pragma once

#include <memory>
#include <span>
#include <string>

#include "datasets/formats/array.h"

namespace conoscope::formats {

/// A file of named arrays that may be larger than the memory: HDF5, else .npz; told by its first
/// bytes, not by its name. What its functions do and throw is what Hdf5's and Npz's do.
class ArrayFile {
 public:
  explicit ArrayFile(const std::string& path);

  const std::string& path() const { return path_; }
  bool is_hdf5() const;

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
