// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace conoscope::formats {

/// The number types that are read. Little endian; f2 is IEEE binary16, b1 one byte, 0 or 1.
enum class DType { f2, f4, f8, i1, i2, i4, i8, u1, u2, u4, u8, b1 };

std::size_t size_of(DType dtype);
const char* name_of(DType dtype);  ///< as NumPy calls it: "float16"
bool is_floating(DType dtype);

/// Numbers as a file holds them: row-major, little endian, without alignment.
struct Array {
  DType dtype = DType::f8;
  std::vector<std::int64_t> shape;
  std::span<const char> bytes;
  std::shared_ptr<const void> owner;      ///< keeps bytes alive: a mapped file or a buffer
  std::string origin;                     ///< where it came from, for messages: "a.npz: labels"
  std::vector<std::string> columns = {};  ///< their names, of a .csv file with a header; else empty

  std::int64_t size() const;
  std::int64_t extent(std::size_t axis) const { return axis < shape.size() ? shape[axis] : 1; }
  std::string shape_text() const;  ///< "600 x 4 x 4 x 64"
};

/// What an array in a file is, without its numbers.
struct ArrayLayout {
  DType dtype = DType::f8;
  std::vector<std::int64_t> shape;
};

std::string shape_text(std::span<const std::int64_t> shape);  ///< "600 x 4 x 4 x 64"

/// Called with i and the bytes of the i-th wanted row.
using RowVisitor = std::function<void(std::size_t i, std::span<const char> row)>;

/// throws  std::invalid_argument, beginning with origin: a row number that is not below `count`, or
///         less than the one before it
void check_rows(std::span<const std::int64_t> rows, std::int64_t count, const std::string& origin);

/// The product of the extents.
/// throws  std::invalid_argument, beginning with origin: it does not fit in 63 bits
std::int64_t element_count(std::span<const std::int64_t> shape, const std::string& origin);

/// element_count() times the size of a number.
/// throws  std::invalid_argument, beginning with origin: it does not fit in 63 bits
std::int64_t byte_count(std::span<const std::int64_t> shape, DType dtype,
                        const std::string& origin);

/// "[3, 0, 2]" for a row-major position.
std::string index_text(std::int64_t position, std::span<const std::int64_t> shape);

/// Copies the numbers into memory of the caller's, row-major. T: float, double or std::int64_t.
///
/// What would change a value unnoticed is refused: as int64_t a fraction, a number that is not finite,
/// or one so large (2^53, of float32 2^24) that it may have been another; a whole number that float or
/// double cannot hold exactly; a finite number beyond the range of float. NaN and infinity pass into
/// float and double (see check_finite()), and double to float rounds.
///
/// throws  std::invalid_argument: out.size() != array.size(), or the first element that does not
///         fit, with its index and value
template <typename T>
void copy_to(const Array& array, std::span<T> out);

template <typename T>
std::vector<T> to_vector(const Array& array) {
  std::vector<T> values(static_cast<std::size_t>(array.size()));
  copy_to<T>(array, values);
  return values;
}

/// throws  std::invalid_argument: NaN or infinity, naming the first one's index and value; `what`
///         says in the message what the numbers are ("activations")
void check_finite(const Array& array, std::string_view what);

}  // namespace conoscope::formats
