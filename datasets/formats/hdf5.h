#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "datasets/formats/array.h"

namespace conoscope::formats {

/// Can this build read HDF5? Without the library (Debian: libhdf5-dev), Hdf5's constructor throws.
bool reads_hdf5();

/// A HDF5 file, read dataset by dataset; compressed chunks are unpacked by the library.
class Hdf5 {
 public:
  /// throws  std::invalid_argument, beginning with the path: no such file, not a HDF5 file or cut
  ///         short, or a build without HDF5
  explicit Hdf5(const std::string& path);

  /// Every dataset's path, without the leading slash: "latents/classes".
  std::vector<std::string> names() const;
  bool has(const std::string& key) const;

  /// float16, which the library does not know, is float32 in memory.
  /// dtype and shape of the dataset at `key`, such as "/latents/classes".
  /// throws  std::invalid_argument, beginning with path and key: no such dataset (lists those that
  ///         are there), or its type is not that of numbers
  ArrayLayout layout(const std::string& key) const;

  /// The whole dataset. throws: as layout(), or its data cannot be read
  Array get(const std::string& key) const;

  /// Some of its rows (along the first axis), without reading the others' chunks.
  ///
  /// rows    row numbers, ascending
  /// visit   visit(i, bytes of row rows[i]), in order; may throw
  /// throws  as get(); std::invalid_argument: a row that is not there
  void read_rows(const std::string& key, std::span<const std::int64_t> rows,
                 const RowVisitor& visit) const;

 private:
  class Dataset;
  std::string path_;
  std::shared_ptr<const std::int64_t> file_;  ///< closes the file at the end
};

}  // namespace conoscope::formats
