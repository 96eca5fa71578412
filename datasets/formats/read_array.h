// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "datasets/formats/array.h"

namespace conoscope::formats {

/// Reads one array from a file whose kind is told by its first bytes: .npy; .npz, .safetensors or
/// HDF5; or else .csv, plain or gzipped.
///
/// member  of an archive, the array's name; of a .csv file with a header, the names of the wanted
///         columns with commas between them, of several side by side FIRST-LAST. Empty: an archive's
///         only array, all columns
/// throws  std::invalid_argument: what read_npy(), ArrayFile and read_csv() refuse, an archive that
///         does not hold exactly one array where no member is named (lists them), a column that is
///         not there (columns_called()), or a member of a .npy file
Array read_array(const std::string& path, const std::string& member = "");

}  // namespace conoscope::formats
