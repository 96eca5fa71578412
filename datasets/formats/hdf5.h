// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "datasets/formats/array_file.h"

namespace conoscope::formats {

/// A HDF5 file, read dataset by dataset; compressed chunks are unpacked by the library. A dataset's
/// key is its path, such as "/latents/classes".
///
/// names()  every dataset's path, without the leading slash: "latents/classes"
///
/// layout()  dtype and shape; float16, which Array does not know, is float32 in memory
///   throws  std::invalid_argument, beginning with path and key: no such dataset (lists those that
///           are there), its type is not that of numbers, or its numbers lie in other files: a
///           virtual dataset, external storage, or a link into another file, which has() refuses too
///
/// get()  the whole dataset. throws: as layout(), or its data cannot be read
///
/// read_rows()  some of its rows (along the first axis), without reading the others' chunks
///   rows    row numbers, ascending
///   visit   visit(i, bytes of row rows[i]), in order; may throw
///   throws  as get(); std::invalid_argument: a row that is not there
class Hdf5 : public ArrayFile {
 public:
  /// throws  std::invalid_argument, beginning with the path: no such file, not a HDF5 file or cut
  ///         short, or a build without HDF5 (Debian: libhdf5-dev); std::runtime_error: its reader's
  ///         library is missing
  explicit Hdf5(const std::string& path) : ArrayFile(path, ArchiveKind::hdf5) {}
};

}  // namespace conoscope::formats
