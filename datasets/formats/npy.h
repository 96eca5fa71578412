// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "datasets/formats/array.h"

namespace conoscope::formats {

/// Reads a .npy file (NumPy format 1.0 to 3.0). The file is mapped, not copied, unless it is in
/// Fortran order or big-endian, which is turned into C order and little-endian here.
///
/// throws  std::invalid_argument, beginning with the path: no such file, not a .npy file, cut short
///         (with the bytes expected and found), followed by other bytes, or of a dtype that is not
///         numbers (object, structured, text, complex, ...), with what to do about it
Array read_npy(const std::string& path);

/// What the header of a .npy file says.
struct NpyLayout {
  DType dtype = DType::f8;
  std::vector<std::int64_t> shape;
  bool fortran_order = false;
  bool big_endian = false;
  std::size_t data_offset = 0;
};

/// Reads it from the file's first bytes, at least all of the header.
/// throws  std::invalid_argument, beginning with origin: what read_npy() says of headers
NpyLayout parse_npy_layout(std::span<const char> bytes, const std::string& origin);

/// A whole file in memory that `owner` keeps alive; `origin` stands for the path.
Array parse_npy(std::span<const char> bytes, std::shared_ptr<const void> owner,
                const std::string& origin);

}  // namespace conoscope::formats
