#pragma once

#include <string>

#include "datasets/formats/array.h"

namespace conoscope::formats {

/// Reads one array from a file whose kind is told by its first bytes: .npy, .npz with a single
/// array, or else .csv, plain or gzipped.
///
/// throws  std::invalid_argument: what read_npy(), Npz and read_csv() refuse, or a .npz archive
///         that does not hold exactly one array (lists them)
Array read_array(const std::string& path);

}  // namespace conoscope::formats
