// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "conoscope/sdk/abi.h"

namespace conoscope::sdk {

/// IEEE 754 binary16, as activations are often stored. For its value only: arithmetic is in float.
struct Half {
  std::uint16_t bits = 0;

  Half() = default;
  /// Rounded to nearest, ties to even; beyond 65504 infinite.
  constexpr explicit Half(float value) {
    const auto all = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t size = all & 0x7fffffffU;
    std::uint32_t half = 0;
    if (size > 0x7f800000U)
      half = 0x7e00U;  // NaN
    else if (size >= 0x477ff000U)
      half = 0x7c00U;
    else if (size < 0x38800000U)  // below 2^-14: adding 1/2 leaves multiples of 2^-24
      half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5F) - 0x3f000000U;
    else
      half = (size - 0x38000000U + 0xfffU + (size >> 13 & 1U)) >> 13;
    bits = static_cast<std::uint16_t>(half | (all >> 16 & 0x8000U));
  }
  constexpr explicit operator float() const {
    const std::uint32_t size = (bits & 0x7fffU) << 13;
    // Below the exponent's offset, then scaled up: exact, and right for subnormal numbers, too.
    std::uint32_t out = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) * 0x1p112F);
    if ((bits & 0x7c00U) == 0x7c00U) out = size | 0x7f800000U;
    return std::bit_cast<float>(out | (bits & 0x8000U) << 16);
  }
  constexpr explicit operator double() const { return static_cast<float>(*this); }
};

template <typename T>
constexpr std::int32_t dtype_of() {
  if constexpr (std::is_same_v<T, float>)
    return CONO_F32;
  else if constexpr (std::is_same_v<T, double>)
    return CONO_F64;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return CONO_I32;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return CONO_I64;
  else if constexpr (std::is_same_v<T, Half>)
    return CONO_F16;
  else {
    static_assert(std::is_same_v<T, std::uint8_t>, "not a dtype of the plugin border");
    return CONO_U8;
  }
}

constexpr const char* dtype_name(std::int32_t dtype) {
  switch (dtype) {
    case CONO_F32:
      return "float32";
    case CONO_F64:
      return "float64";
    case CONO_I32:
      return "int32";
    case CONO_I64:
      return "int64";
    case CONO_U8:
      return "uint8";
    case CONO_F16:
      return "float16";
    default:
      return "unknown dtype";
  }
}

constexpr std::size_t dtype_size(std::int32_t dtype) {
  switch (dtype) {
    case CONO_F32:
    case CONO_I32:
      return 4;
    case CONO_F64:
    case CONO_I64:
      return 8;
    case CONO_F16:
      return 2;
    case CONO_U8:
      return 1;
    default:
      return 0;
  }
}

/// A borrowed n-dimensional array. Copying it copies the reference, not the numbers.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(const cono_tensor& raw, std::string_view name = "tensor")
      : raw_(raw), name_(name) {}

  const std::string& name() const { return name_; }
  std::int32_t dtype() const { return raw_.dtype; }
  int dimensions() const { return raw_.ndim; }
  std::int64_t shape(int axis) const { return axis < raw_.ndim ? raw_.shape[axis] : 1; }
  std::int64_t stride(int axis) const { return raw_.strides[axis]; }
  std::int64_t rows() const { return shape(0); }
  const cono_tensor& raw() const { return raw_; }
  cono_tensor& raw() { return raw_; }

  std::int64_t size() const {
    std::int64_t count = 1;
    for (int axis = 0; axis < raw_.ndim; ++axis) count *= raw_.shape[axis];
    return count;
  }

  bool contiguous() const { return raw_.row_index == nullptr && contiguous_from(0); }

  /// The numbers in row-major order. Throws std::invalid_argument: another dtype, or not
  /// contiguous.
  template <typename T>
  std::span<T> values() const {
    if (raw_.dtype != dtype_of<std::remove_const_t<T>>())
      throw std::invalid_argument(name_ + ": dtype is " + dtype_name(raw_.dtype) + ", expected " +
                                  dtype_name(dtype_of<std::remove_const_t<T>>()));
    if (!contiguous()) throw std::invalid_argument(name_ + ": not contiguous");
    return {static_cast<T*>(raw_.data), static_cast<std::size_t>(size())};
  }

  /// Calls visit(row-major position, value as double) for every element, whatever dtype and
  /// strides.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    switch (raw_.dtype) {
      case CONO_F32:
        return walk<float>(visit);
      case CONO_F64:
        return walk<double>(visit);
      case CONO_I32:
        return walk<std::int32_t>(visit);
      case CONO_I64:
        return walk<std::int64_t>(visit);
      case CONO_U8:
        return walk<std::uint8_t>(visit);
      case CONO_F16:
        return walk<Half>(visit);
      default:
        throw std::invalid_argument(name_ + ": unknown dtype " + std::to_string(raw_.dtype));
    }
  }

  /// Rows first ... first + count - 1, in place.
  Tensor row_block(std::int64_t first, std::int64_t count) const {
    if (first < 0 || count < 0 || first + count > rows())
      throw std::invalid_argument(name_ + ": rows " + std::to_string(first) + " to " +
                                  std::to_string(first + count) + " of " + std::to_string(rows()));
    Tensor out = *this;
    out.raw_.shape[0] = count;
    if (raw_.row_index != nullptr)
      out.raw_.row_index += first;
    else
      out.raw_.data = static_cast<char*>(raw_.data) +
                      first * raw_.strides[0] * static_cast<std::int64_t>(dtype_size(raw_.dtype));
    return out;
  }

  /// Element i of the first axis, in place, with that axis gone: n x P x D gives P x D.
  Tensor at(std::int64_t i) const {
    Tensor out = row_block(i, 1);
    if (raw_.row_index != nullptr)
      out.raw_.data =
          static_cast<char*>(raw_.data) +
          raw_.row_index[i] * raw_.strides[0] * static_cast<std::int64_t>(dtype_size(raw_.dtype));
    out.raw_.row_index = nullptr;
    out.raw_.ndim -= 1;
    for (int axis = 0; axis < out.raw_.ndim; ++axis) {
      out.raw_.shape[axis] = raw_.shape[axis + 1];
      out.raw_.strides[axis] = raw_.strides[axis + 1];
    }
    return out;
  }

  /// All numbers in row-major order, converted. T: float or double.
  /// throws  std::invalid_argument: out is not as long as this
  template <typename T>
  void copy_to(std::span<T> out) const {
    if (static_cast<std::int64_t>(out.size()) != size())
      throw std::invalid_argument(name_ + ": " + std::to_string(size()) +
                                  " numbers into room for " + std::to_string(out.size()));
    for_each([&out](std::int64_t i, double value) {
      out[static_cast<std::size_t>(i)] = static_cast<T>(value);
    });
  }

  /// Of this as a matrix whose rows are the first `split` axes and whose columns are the others, the
  /// rows first ... first + count - 1, converted.
  template <typename T>
  void copy_rows_to(int split, std::int64_t first, std::int64_t count, std::span<T> out) const {
    if (split <= 1) return row_block(first, count).copy_to(out);
    std::int64_t inner = 1;  // rows of one element of the first axis
    for (int axis = 1; axis < split; ++axis) inner *= shape(axis);
    while (count > 0) {
      const std::int64_t begin = first % inner, whole = begin == 0 ? count / inner : 0;
      const std::int64_t part = whole > 0 ? whole * inner : std::min(inner - begin, count);
      const auto room =
          out.first(out.size() / static_cast<std::size_t>(count) * static_cast<std::size_t>(part));
      if (whole > 0)
        row_block(first / inner, whole).copy_to(room);
      else
        at(first / inner).copy_rows_to(split - 1, begin, part, room);
      out = out.subspan(room.size());
      first += part;
      count -= part;
    }
  }

  std::string shape_text() const {
    std::string text;
    for (int axis = 0; axis < raw_.ndim; ++axis)
      text += (axis ? " x " : "") + std::to_string(raw_.shape[axis]);
    return text;
  }

 private:
  bool contiguous_from(int first) const {
    std::int64_t step = 1;
    for (int axis = raw_.ndim - 1; axis >= first; --axis) {
      if (raw_.shape[axis] != 1 && raw_.strides[axis] != step) return false;
      step *= raw_.shape[axis];
    }
    return true;
  }

  template <typename T, typename Visit>
  void walk(Visit& visit) const {
    const T* base = static_cast<const T*>(raw_.data);
    const std::int64_t count = size();
    if (contiguous()) {
      for (std::int64_t i = 0; i < count; ++i) visit(i, static_cast<double>(base[i]));
      return;
    }
    const std::int64_t of_row = count / (count > 0 ? rows() : 1);
    const bool whole_rows = contiguous_from(1);
    for (std::int64_t r = 0, i = 0; i < count; ++r) {
      const T* row = base + (raw_.row_index ? raw_.row_index[r] : r) * raw_.strides[0];
      if (whole_rows)
        for (std::int64_t j = 0; j < of_row; ++j, ++i) visit(i, static_cast<double>(row[j]));
      else
        walk_row(row, of_row, i, visit);
    }
  }

  /// One row by the strides of the axes behind it; i counts on.
  template <typename T, typename Visit>
  void walk_row(const T* row, std::int64_t count, std::int64_t& i, Visit& visit) const {
    std::int64_t index[CONO_MAX_DIMENSIONS] = {};
    for (std::int64_t j = 0; j < count; ++j, ++i) {
      std::int64_t offset = 0;
      for (int axis = 1; axis < raw_.ndim; ++axis) offset += index[axis] * raw_.strides[axis];
      visit(i, static_cast<double>(row[offset]));
      for (int axis = raw_.ndim - 1; axis >= 1; --axis) {
        if (++index[axis] < raw_.shape[axis]) break;
        index[axis] = 0;
      }
    }
  }

  cono_tensor raw_{};
  std::string name_ = "tensor";
};

/// A contiguous tensor over memory of the caller's.
inline cono_tensor make_tensor(void* data, std::int32_t dtype,
                               std::span<const std::int64_t> shape) {
  if (shape.empty() || shape.size() > CONO_MAX_DIMENSIONS)
    throw std::invalid_argument("make_tensor: " + std::to_string(shape.size()) +
                                " dimensions, expected 1 to " +
                                std::to_string(CONO_MAX_DIMENSIONS));
  cono_tensor tensor{};
  tensor.struct_size = sizeof(cono_tensor);
  tensor.dtype = dtype;
  tensor.ndim = static_cast<std::int32_t>(shape.size());
  tensor.data = data;
  std::int64_t step = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    tensor.shape[axis] = shape[axis];
    tensor.strides[axis] = step;
    step *= shape[axis];
  }
  return tensor;
}

}  // namespace conoscope::sdk
