#pragma once

#include <memory>
#include <span>
#include <string>

#include "datasets/formats/array.h"

namespace conoscope::formats {

/// Reads a .npy file (NumPy format 1.0 to 3.0). The file is mapped, not copied, unless it is in
/// Fortran order, which is turned into C order here.
///
/// throws  std::invalid_argument, beginning with the path: no such file, not a .npy file, cut short
///         (with the bytes expected and found), followed by other bytes, big-endian, or of a dtype
///         that is not numbers (object, structured, text, complex, ...), with what to do about it
Array read_npy(const std::string& path);

/// The same for bytes in memory that `owner` keeps alive; `origin` stands for the path.
Array parse_npy(std::span<const char> bytes, std::shared_ptr<const void> owner,
                const std::string& origin);

}  // namespace conoscope::formats
