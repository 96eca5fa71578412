// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace conoscope::testing {

/// A .npy file (format 1.0) put together by hand: descr as "<f4", shape as "(2, 3)".
template <typename T>
std::string npy_bytes(const std::string& descr, const std::string& shape,
                      const std::vector<T>& values, bool fortran_order = false) {
  std::string dict = "{'descr': '" + descr +
                     "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                     ", 'shape': " + shape + ", }\n";
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(dict.size() & 0xff);
  bytes += static_cast<char>(dict.size() >> 8);
  bytes += dict;
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return bytes;
}

}  // namespace conoscope::testing
