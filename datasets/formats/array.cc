// SPDX-License-Identifier: Apache-2.0
#include "datasets/formats/array.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "conoscope/sdk/tensor.h"

static_assert(std::endian::native == std::endian::little, "files are read without swapping bytes");

namespace conoscope::formats {
namespace {

using sdk::Half;

template <typename Stored>
auto load(const char* at) {
  Stored stored;
  std::memcpy(&stored, at, sizeof(stored));
  if constexpr (std::is_same_v<Stored, Half>)
    return static_cast<float>(stored);
  else
    return stored;
}

/// Calls body with a value of the stored type, to learn it by.
template <typename Body>
auto dispatch(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::f2:
      return body(Half{});
    case DType::f4:
      return body(float{});
    case DType::f8:
      return body(double{});
    case DType::i1:
      return body(std::int8_t{});
    case DType::i2:
      return body(std::int16_t{});
    case DType::i4:
      return body(std::int32_t{});
    case DType::i8:
      return body(std::int64_t{});
    case DType::u2:
      return body(std::uint16_t{});
    case DType::u4:
      return body(std::uint32_t{});
    case DType::u8:
      return body(std::uint64_t{});
    case DType::u1:
    case DType::b1:
      break;
  }
  return body(std::uint8_t{});
}

template <typename Value>
std::string text_of(Value value) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(std::numeric_limits<double>::max_digits10);
  text << +value;
  return text.str();
}

/// Above this a floating-point type lacks whole numbers: what is there may have been another one.
template <typename Value>
constexpr Value kLargestCounted = static_cast<Value>(std::uint64_t{1}
                                                     << std::numeric_limits<Value>::digits);

/// Whether `value` survives the conversion, in the sense that copy_to() promises.
template <typename Target, typename Value>
bool fits(Value value) {
  if constexpr (std::is_integral_v<Value>) {
    if constexpr (std::is_integral_v<Target>) {
      return std::in_range<Target>(value);
    } else if constexpr (sizeof(Value) * 2 <= sizeof(Target)) {
      return true;
    } else {
      using Wide = std::conditional_t<std::is_signed_v<Value>, std::int64_t, std::uint64_t>;
      const auto converted = static_cast<Target>(value);
      // 2^63 (2^64) itself is a Target but no Wide: casting it back would be undefined.
      return converted < static_cast<Target>(std::is_signed_v<Value> ? 0x1p63 : 0x1p64) &&
             static_cast<Wide>(converted) == static_cast<Wide>(value);
    }
  } else if constexpr (std::is_integral_v<Target>) {
    return std::abs(value) <= kLargestCounted<Value> && std::trunc(value) == value;
  } else if constexpr (sizeof(Target) < sizeof(Value)) {
    return !std::isfinite(value) || std::isfinite(static_cast<Target>(value));
  } else {
    return true;
  }
}

template <typename Target, typename Value>
const char* reason(Value value) {
  if constexpr (std::is_same_v<Target, float>) return "which float32 cannot hold";
  if constexpr (std::is_same_v<Target, double>) return "which float64 cannot hold";
  if constexpr (std::is_floating_point_v<Value>)
    if (std::isfinite(value))
      return std::trunc(value) != value ? "which is not a whole number"
             : sizeof(Value) == 4       ? "beyond 2^24, up to which float32 has every whole number"
                                        : "beyond 2^53, up to which float64 has every whole number";
  return "which is not a 64-bit integer";
}

}  // namespace

std::size_t size_of(DType dtype) {
  return dispatch(dtype, [](auto stored) { return sizeof(stored); });
}

const char* name_of(DType dtype) {
  constexpr const char* kNames[] = {"float16", "float32", "float64", "int8",   "int16",  "int32",
                                    "int64",   "uint8",   "uint16",  "uint32", "uint64", "bool"};
  return kNames[static_cast<std::size_t>(dtype)];
}

bool is_floating(DType dtype) {
  return dtype == DType::f2 || dtype == DType::f4 || dtype == DType::f8;
}

std::int64_t Array::size() const { return element_count(shape, origin); }

std::string Array::shape_text() const { return formats::shape_text(shape); }

std::string shape_text(std::span<const std::int64_t> shape) {
  if (shape.empty()) return "a single number";
  std::string text;
  for (const std::int64_t extent : shape)
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text;
}

void check_rows(std::span<const std::int64_t> rows, std::int64_t count, const std::string& origin) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] < (i == 0 ? 0 : rows[i - 1]) || rows[i] >= count)
      throw std::invalid_argument(
          origin + ": row " + std::to_string(rows[i]) + " is asked for" +
          (rows[i] >= count ? ", but it has " + std::to_string(count) : " out of order"));
}

std::int64_t element_count(std::span<const std::int64_t> shape, const std::string& origin) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape)
    if (__builtin_mul_overflow(count, extent, &count))
      throw std::invalid_argument(origin + ": the shape asks for more than 2^63 numbers");
  return count;
}

std::int64_t byte_count(std::span<const std::int64_t> shape, DType dtype,
                        const std::string& origin) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(element_count(shape, origin),
                             static_cast<std::int64_t>(size_of(dtype)), &bytes))
    throw std::invalid_argument(origin + ": the shape asks for more than 2^63 bytes: " +
                                shape_text(shape) + ", " + name_of(dtype));
  return bytes;
}

std::string index_text(std::int64_t position, std::span<const std::int64_t> shape) {
  std::string text;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    text = std::to_string(position % shape[axis]) + (text.empty() ? "" : ", ") + text;
    position /= shape[axis];
  }
  return "[" + text + "]";
}

template <typename T>
void copy_to(const Array& array, std::span<T> out) {
  if (static_cast<std::int64_t>(out.size()) != array.size())
    throw std::invalid_argument(array.origin + ": " + array.shape_text() +
                                " copied into room for " + std::to_string(out.size()) + " numbers");
  dispatch(array.dtype, [&]<typename Stored>(Stored) {
    const char* at = array.bytes.data();
    for (std::size_t i = 0; i < out.size(); ++i, at += sizeof(Stored)) {
      const auto value = load<Stored>(at);
      if (!fits<T>(value)) [[unlikely]]
        throw std::invalid_argument(array.origin + ": the value at " +
                                    index_text(static_cast<std::int64_t>(i), array.shape) + " is " +
                                    text_of(value) + ", " + reason<T>(value));
      out[i] = static_cast<T>(value);
    }
  });
}

template void copy_to<float>(const Array&, std::span<float>);
template void copy_to<double>(const Array&, std::span<double>);
template void copy_to<std::int64_t>(const Array&, std::span<std::int64_t>);

void check_finite(const Array& array, std::string_view what) {
  dispatch(array.dtype, [&]<typename Stored>(Stored) {
    if constexpr (!std::is_integral_v<Stored>) {
      const std::int64_t count = array.size();
      const char* at = array.bytes.data();
      for (std::int64_t i = 0; i < count; ++i, at += sizeof(Stored)) {
        const auto value = load<Stored>(at);
        if (!std::isfinite(value))
          throw std::invalid_argument(array.origin + ": the value at " +
                                      index_text(i, array.shape) + " is " + text_of(value) + ", " +
                                      std::string(what) + " must be finite");
      }
    }
  });
}

}  // namespace conoscope::formats
