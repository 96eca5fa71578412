// SPDX-License-Identifier: Apache-2.0
#include "datasets/formats/npy.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "conoscope/sdk/npy.h"
#include "datasets/formats/file.h"

namespace conoscope::formats {
namespace {

std::optional<DType> dtype_of(std::string_view code) {
  constexpr std::pair<std::string_view, DType> kCodes[] = {
      {"f2", DType::f2}, {"f4", DType::f4}, {"f8", DType::f8}, {"i1", DType::i1},
      {"i2", DType::i2}, {"i4", DType::i4}, {"i8", DType::i8}, {"u1", DType::u1},
      {"u2", DType::u2}, {"u4", DType::u4}, {"u8", DType::u8}, {"b1", DType::b1}};
  for (const auto& [name, dtype] : kCodes)
    if (name == code) return dtype;
  return std::nullopt;
}

/// Of a dtype with or without its byte order: <f4, >f4, |b1.
DType parse_dtype(const std::string& descr, const std::string& origin) {
  const auto refuse = [&](const std::string& why) -> DType {
    throw std::invalid_argument(origin + ": dtype '" + descr + "' " + why);
  };
  const char order = descr.empty() ? ' ' : descr.front();
  const bool has_order = order == '<' || order == '>' || order == '|' || order == '=';
  const std::string_view code = std::string_view(descr).substr(has_order ? 1 : 0);
  if (const auto dtype = dtype_of(code)) return *dtype;
  if (!code.empty() && code.front() == 'O')
    return refuse(
        "holds pickled Python objects, which are never loaded; save numbers, as in "
        "a.astype('<f8')");
  return refuse("is not one that is read; save it as a.astype('<f8') or a.astype('<i8')");
}

/// Column-major to row-major.
std::shared_ptr<std::vector<char>> to_c_order(std::span<const char> bytes, std::size_t width,
                                              std::span<const std::int64_t> shape) {
  auto out = std::make_shared<std::vector<char>>(bytes.size());
  std::vector<std::int64_t> index(shape.size()), step(shape.size());
  std::int64_t stride = 1;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    step[axis] = stride;
    stride *= shape[axis];
  }
  std::int64_t from = 0;
  for (std::size_t to = 0; to < out->size(); to += width) {
    std::memcpy(out->data() + to, bytes.data() + static_cast<std::size_t>(from) * width, width);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      from += step[axis];
      if (++index[axis] < shape[axis]) break;
      from -= step[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return out;
}

/// Reverses the bytes of each number.
std::shared_ptr<std::vector<char>> swap_bytes(std::span<const char> bytes, std::size_t width) {
  auto out = std::make_shared<std::vector<char>>(bytes.begin(), bytes.end());
  for (auto at = out->begin(); at != out->end(); at += static_cast<std::ptrdiff_t>(width))
    std::reverse(at, at + static_cast<std::ptrdiff_t>(width));
  return out;
}

}  // namespace

NpyLayout parse_npy_layout(std::span<const char> bytes, const std::string& origin) {
  const sdk::NpyHeader header = sdk::parse_npy_header(bytes, origin);
  const DType dtype = parse_dtype(header.descr, origin);
  return {dtype, header.shape, header.fortran_order,
          header.descr.front() == '>' && size_of(dtype) > 1, header.data_offset};
}

Array parse_npy(std::span<const char> bytes, std::shared_ptr<const void> owner,
                const std::string& origin) {
  const NpyLayout header = parse_npy_layout(bytes, origin);
  Array array;
  array.dtype = header.dtype;
  array.shape = header.shape;
  array.origin = origin;

  const std::size_t width = size_of(array.dtype);
  std::size_t expected = 0;
  if (__builtin_mul_overflow(static_cast<std::size_t>(array.size()), width, &expected))
    throw std::invalid_argument(origin + ": the shape asks for more than 2^63 numbers");
  const std::size_t found = bytes.size() - header.data_offset;
  const auto told = [&] {
    return "expected " + std::to_string(expected) + " bytes of data (" + array.shape_text() + ", " +
           name_of(array.dtype) + "), found " + std::to_string(found);
  };
  if (found < expected) throw std::invalid_argument(origin + ": cut short: " + told());
  if (found > expected) throw std::invalid_argument(origin + ": too long: " + told());

  array.bytes = bytes.subspan(header.data_offset);
  array.owner = std::move(owner);
  if (header.big_endian) {
    const auto swapped = swap_bytes(array.bytes, width);
    array.bytes = *swapped;
    array.owner = swapped;
  }
  if (header.fortran_order && array.shape.size() > 1) {
    const auto ordered = to_c_order(array.bytes, width, array.shape);
    array.bytes = *ordered;
    array.owner = ordered;
  }
  return array;
}

Array read_npy(const std::string& path) {
  const auto file = std::make_shared<const MappedFile>(path);
  return parse_npy(file->bytes(), file, path);
}

}  // namespace conoscope::formats
