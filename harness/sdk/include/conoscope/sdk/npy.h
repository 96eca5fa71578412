// SPDX-License-Identifier: Apache-2.0
#pragma once

// The header of a .npy file (NumPy format 1.0 to 3.0), for reading and writing. What follows the
// header is the array's raw memory, so a file written here can be mapped as it stands.

#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "conoscope/sdk/tensor.h"

namespace conoscope::sdk {

struct NpyHeader {
  std::string descr;  ///< as "<f4"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::size_t data_offset = 0;
};

/// The dtype that our arrays use for the same numbers, or 0: not one of the plugin border's.
inline std::int32_t dtype_of_npy(std::string_view descr) {
  if (descr == "<f4") return CONO_F32;
  if (descr == "<f8") return CONO_F64;
  if (descr == "<i4") return CONO_I32;
  if (descr == "<i8") return CONO_I64;
  if (descr == "|u1") return CONO_U8;
  if (descr == "<f2") return CONO_F16;
  return 0;
}

/// Header of a C-order, little-endian array, padded so that the data start at a multiple of 64.
inline std::string make_npy_header(std::int32_t dtype, std::span<const std::int64_t> shape) {
  const char* descr = dtype == CONO_F32   ? "<f4"
                      : dtype == CONO_F64 ? "<f8"
                      : dtype == CONO_I32 ? "<i4"
                      : dtype == CONO_I64 ? "<i8"
                      : dtype == CONO_U8  ? "|u1"
                      : dtype == CONO_F16 ? "<f2"
                                          : nullptr;
  if (descr == nullptr)
    throw std::invalid_argument("make_npy_header: unknown dtype " + std::to_string(dtype));
  std::string dict = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (";
  for (const std::int64_t extent : shape) dict += std::to_string(extent) + ", ";
  if (shape.size() > 1) dict.erase(dict.size() - 2);
  if (shape.size() == 1) dict.pop_back();
  dict += "), }";
  constexpr std::size_t kPrefix = 10;
  while ((kPrefix + dict.size() + 1) % 64 != 0) dict += ' ';
  dict += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dict.size() & 0xff);
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

/// Reads the header at the start of a file's bytes.
/// throws  std::invalid_argument, beginning with `file`: not a .npy file, cut short, or malformed
inline NpyHeader parse_npy_header(std::span<const char> bytes, const std::string& file) {
  const auto fail = [&file](const std::string& why) -> NpyHeader {
    throw std::invalid_argument(file + ": " + why);
  };
  if (bytes.size() < 10 || std::memcmp(bytes.data(), "\x93NUMPY", 6) != 0)
    return fail(bytes.size() < 10 ? "cut short: " + std::to_string(bytes.size()) +
                                        " bytes, too few for a .npy header"
                                  : "not a .npy file: the first six bytes are not \\x93NUMPY");
  const auto byte = [&bytes](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
  };
  const std::size_t major = byte(6);
  if (major < 1 || major > 3)
    return fail(".npy format version " + std::to_string(major) + " is not 1, 2 or 3");
  const std::size_t prefix = major == 1 ? 10 : 12;
  if (bytes.size() < prefix) return fail("cut short inside the .npy header");
  std::size_t length = byte(8) | byte(9) << 8;
  if (major > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (bytes.size() < prefix + length)
    return fail("cut short inside the .npy header: " + std::to_string(bytes.size()) + " of " +
                std::to_string(prefix + length) + " bytes");
  const std::string_view dict(bytes.data() + prefix, length);

  const auto value_of = [&](std::string_view key) -> std::string_view {
    // Not "'" + std::string(key): g++ 12 then warns of an overlap that is not there (PR 105651).
    std::string quoted(1, '\'');
    quoted.append(key).push_back('\'');
    std::size_t at = dict.find(quoted);
    if (at != dict.npos) at = dict.find(':', at);
    if (at == dict.npos) {
      fail("the .npy header has no " + quoted);
      return {};
    }
    ++at;
    while (at < dict.size() && std::isspace(static_cast<unsigned char>(dict[at]))) ++at;
    return dict.substr(at);
  };

  NpyHeader header;
  header.data_offset = prefix + length;
  const std::string_view descr = value_of("descr");
  if (descr.empty() || (descr[0] != '\'' && descr[0] != '"'))
    return fail("a structured dtype (records) is not an array of numbers: " +
                std::string(descr.substr(0, descr.find(']') + 1)) +
                "; save one field, as in a['field']");
  const std::size_t quote = descr.find(descr[0], 1);
  if (quote == descr.npos) return fail("malformed 'descr' in the .npy header");
  header.descr = descr.substr(1, quote - 1);
  const std::string_view order = value_of("fortran_order");
  header.fortran_order = order.starts_with("True");
  if (!header.fortran_order && !order.starts_with("False"))
    return fail("malformed 'fortran_order' in the .npy header");
  std::string_view shape = value_of("shape");
  const std::size_t close = shape.find(')');
  if (shape.empty() || shape[0] != '(' || close == shape.npos)
    return fail("malformed 'shape' in the .npy header");
  shape = shape.substr(1, close - 1);
  while (!shape.empty()) {
    if (shape[0] == ',' || std::isspace(static_cast<unsigned char>(shape[0]))) {
      shape.remove_prefix(1);
      continue;
    }
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(shape.data(), shape.data() + shape.size(), extent);
    if (error != std::errc() || extent < 0) return fail("malformed 'shape' in the .npy header");
    header.shape.push_back(extent);
    shape.remove_prefix(static_cast<std::size_t>(end - shape.data()));
    if (!shape.empty() && shape[0] == 'L') shape.remove_prefix(1);  // written by Python 2
  }
  return header;
}

}  // namespace conoscope::sdk
