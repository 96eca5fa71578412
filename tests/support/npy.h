// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "metrics/types.h"

namespace conoscope::tests {

/// An NPY array as doubles, whatever it was stored as: exact for f4, i4 and b1, and for i8 up to
/// 2^53.
struct Npy {
  std::vector<std::ptrdiff_t> shape;
  std::vector<double> values;  // C order

  std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(values.size()); }

  /// The last axis is the columns, all the others are rows; a vector is one row.
  metrics::Matrix matrix() const {
    const std::ptrdiff_t columns = shape.empty() ? 1 : shape.back();
    return matrix(columns == 0 ? 0 : size() / columns, columns);
  }
  metrics::Matrix matrix(std::ptrdiff_t rows, std::ptrdiff_t columns) const {
    if (rows * columns != size()) throw std::runtime_error("npy: cannot take that shape");
    return Eigen::Map<const metrics::Matrix>(values.data(), rows, columns);
  }
  metrics::Vector vector() const {
    return Eigen::Map<const metrics::Vector>(values.data(), size());
  }
  metrics::IndexVector indices() const {
    metrics::IndexVector out;
    for (const double value : values) {
      if (value != static_cast<double>(static_cast<metrics::Index>(value)))
        throw std::runtime_error("npy: not an integer");
      out.push_back(static_cast<metrics::Index>(value));
    }
    return out;
  }
};

namespace detail {

template <typename T>
void append_values(const std::string& bytes, size_t begin, size_t count, std::vector<double>& out) {
  for (size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, bytes.data() + begin + i * sizeof(T), sizeof(T));
    out.push_back(static_cast<double>(value));
  }
}

}  // namespace detail

/// Reads f4, f8, i4, i8 and b1, little endian, C order, versions 1 to 3; anything else throws
/// std::runtime_error. For tests: trusted files, no attention to speed.
inline Npy read_npy(const std::filesystem::path& path) {
  static_assert(std::endian::native == std::endian::little);
  const auto fail = [&path](const std::string& why) -> std::runtime_error {
    return std::runtime_error(path.string() + ": " + why);
  };
  std::ifstream file(path, std::ios::binary);
  if (!file) throw fail("cannot be opened");
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.size() < 12 || bytes.compare(0, 6, "\x93NUMPY") != 0) throw fail("not an NPY file");

  const bool wide = bytes[6] >= 2;
  std::uint32_t header_size = 0;
  std::memcpy(&header_size, bytes.data() + 8, wide ? 4 : 2);
  const size_t header_begin = wide ? 12 : 10, data_begin = header_begin + header_size;
  if (data_begin > bytes.size()) throw fail("the header is cut off");
  const std::string header = bytes.substr(header_begin, header_size);

  const auto between = [&](const std::string& begin, const char* end) {
    const size_t at = header.find(begin);
    if (at == header.npos) throw fail("no " + begin);
    const size_t from = at + begin.size();
    return header.substr(from, header.find_first_of(end, from) - from);
  };
  const std::string dtype = between("'descr': '", "'");
  if (header.find("'fortran_order': False") == std::string::npos) throw fail("not in C order");
  std::istringstream shape(between("'shape': (", ")"));

  Npy array;
  size_t count = 1;
  for (std::string extent; std::getline(shape, extent, ',');)
    if (extent.find_first_of("0123456789") != extent.npos) {
      array.shape.push_back(std::stol(extent));
      count *= static_cast<size_t>(array.shape.back());
    }
  const size_t item = dtype == "|b1" ? 1 : dtype.ends_with('4') ? 4 : 8;
  if (bytes.size() - data_begin < count * item) throw fail("the data is cut off");
  array.values.reserve(count);
  if (dtype == "<f8")
    detail::append_values<double>(bytes, data_begin, count, array.values);
  else if (dtype == "<f4")
    detail::append_values<float>(bytes, data_begin, count, array.values);
  else if (dtype == "<i8")
    detail::append_values<std::int64_t>(bytes, data_begin, count, array.values);
  else if (dtype == "<i4")
    detail::append_values<std::int32_t>(bytes, data_begin, count, array.values);
  else if (dtype == "|b1")
    detail::append_values<std::uint8_t>(bytes, data_begin, count, array.values);
  else
    throw fail("dtype " + dtype + " is not read");
  return array;
}

}  // namespace conoscope::tests
