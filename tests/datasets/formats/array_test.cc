// SPDX-License-Identifier: Apache-2.0
#include "datasets/formats/array.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace formats = conoscope::formats;
using formats::Array;
using formats::DType;

namespace {

template <typename T>
Array make(DType dtype, std::vector<std::int64_t> shape, const std::vector<T>& values) {
  const auto copy = std::make_shared<const std::vector<T>>(values);
  Array array;
  array.dtype = dtype;
  array.shape = std::move(shape);
  array.bytes = {reinterpret_cast<const char*>(copy->data()), copy->size() * sizeof(T)};
  array.owner = copy;
  array.origin = "x.npy";
  return array;
}

}  // namespace

TEST_CASE("array: float16 becomes the same number as float32") {
  // 1, -2, 65504 (largest), 2^-14 (smallest normal), 2^-24 (smallest subnormal), 0.333251953125, -0
  const Array half =
      make<std::uint16_t>(DType::f2, {7}, {0x3c00, 0xc000, 0x7bff, 0x0400, 0x0001, 0x3555, 0x8000});
  const auto values = formats::to_vector<float>(half);
  CHECK(values ==
        std::vector<float>{1.0F, -2.0F, 65504.0F, 0x1p-14F, 0x1p-24F, 0.333251953125F, -0.0F});
  CHECK(std::signbit(values[6]));
  const auto odd =
      formats::to_vector<double>(make<std::uint16_t>(DType::f2, {3}, {0x7c00, 0xfc00, 0x7e01}));
  CHECK(odd[0] == std::numeric_limits<double>::infinity());
  CHECK(odd[1] == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(odd[2]));
}

TEST_CASE("array: every dtype reads its own numbers") {
  const auto as_double = [](const Array& array) { return formats::to_vector<double>(array); };
  const std::vector<double> wanted = {0, 1, 100};
  CHECK(as_double(make<float>(DType::f4, {3}, {0, 1, 100})) == wanted);
  CHECK(as_double(make<double>(DType::f8, {3}, {0, 1, 100})) == wanted);
  CHECK(as_double(make<std::int8_t>(DType::i1, {3}, {0, 1, 100})) == wanted);
  CHECK(as_double(make<std::int16_t>(DType::i2, {3}, {0, 1, 100})) == wanted);
  CHECK(as_double(make<std::int32_t>(DType::i4, {3}, {0, 1, 100})) == wanted);
  CHECK(as_double(make<std::int64_t>(DType::i8, {3}, {0, 1, 100})) == wanted);
  CHECK(as_double(make<std::uint8_t>(DType::u1, {3}, {0, 1, 100})) == wanted);
  CHECK(as_double(make<std::uint16_t>(DType::u2, {3}, {0, 1, 100})) == wanted);
  CHECK(as_double(make<std::uint32_t>(DType::u4, {3}, {0, 1, 100})) == wanted);
  CHECK(as_double(make<std::uint8_t>(DType::b1, {2}, {0, 1})) == std::vector<double>{0, 1});
  // Signs and the upper half of unsigned ranges.
  CHECK(as_double(make<std::int8_t>(DType::i1, {1}, {-128}))[0] == -128);
  CHECK(as_double(make<std::uint8_t>(DType::u1, {1}, {255}))[0] == 255);
  CHECK(as_double(make<std::uint16_t>(DType::u2, {1}, {65535}))[0] == 65535);
  CHECK(as_double(make<std::uint32_t>(DType::u4, {1}, {4294967295u}))[0] == 4294967295.0);
}

TEST_CASE("array: labels must be whole numbers") {
  const auto labels = formats::to_vector<std::int64_t>(make<double>(DType::f8, {3}, {0, 9, -4}));
  CHECK(labels == std::vector<std::int64_t>{0, 9, -4});
  CHECK_THROWS_WITH_AS(
      formats::to_vector<std::int64_t>(make<float>(DType::f4, {2, 2}, {0, 1, 2.5F, 3.5F})),
      "x.npy: the value at [1, 0] is 2.5, which is not a whole number", std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      formats::to_vector<std::int64_t>(make<double>(DType::f8, {2}, {0x1p53, -0x1p53 - 2})),
      "x.npy: the value at [1] is -9007199254740994, beyond 2^53, up to which float64 has every "
      "whole number",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      formats::to_vector<std::int64_t>(make<float>(DType::f4, {2}, {0x1p24F, 0x1p25F})),
      "x.npy: the value at [1] is 33554432, beyond 2^24, up to which float32 has every whole "
      "number",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(formats::to_vector<std::int64_t>(make<double>(DType::f8, {1}, {NAN})),
                       "x.npy: the value at [0] is nan, which is not a 64-bit integer",
                       std::invalid_argument);
  CHECK(formats::to_vector<std::int64_t>(
            make<std::int64_t>(DType::i8, {1}, {std::numeric_limits<std::int64_t>::min()}))[0] ==
        std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("array: a number that would change is refused") {
  CHECK_THROWS_WITH_AS(
      formats::to_vector<double>(make<std::int64_t>(DType::i8, {2}, {1LL << 53, (1LL << 53) + 1})),
      "x.npy: the value at [1] is 9007199254740993, which float64 cannot hold",
      std::invalid_argument);
  CHECK_THROWS_WITH_AS(formats::to_vector<double>(make<std::int64_t>(
                           DType::i8, {1}, {std::numeric_limits<std::int64_t>::max()})),
                       "x.npy: the value at [0] is 9223372036854775807, which float64 cannot hold",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      formats::to_vector<float>(make<std::uint32_t>(DType::u4, {1}, {4294967295u})),
      "x.npy: the value at [0] is 4294967295, which float32 cannot hold", std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      formats::to_vector<float>(make<double>(DType::f8, {2}, {1.0, 1e39})),
      "x.npy: the value at [1] is 9.9999999999999994e+38, which float32 cannot hold",
      std::invalid_argument);
  // float64 to float32 rounds, and what is not finite stays so.
  const auto values = formats::to_vector<float>(
      make<double>(DType::f8, {2}, {0.1, std::numeric_limits<double>::infinity()}));
  CHECK(values[0] == 0.1F);
  CHECK(std::isinf(values[1]));
}

TEST_CASE("array: NaN and infinity are found, with their place") {
  CHECK_NOTHROW(check_finite(make<float>(DType::f4, {2}, {1, -1e38F}), "activations"));
  CHECK_NOTHROW(check_finite(make<std::int32_t>(DType::i4, {2}, {1, -1}), "activations"));
  CHECK_THROWS_WITH_AS(
      check_finite(make<float>(DType::f4, {2, 1, 2}, {1, 2, 3, NAN}), "activations"),
      "x.npy: the value at [1, 0, 1] is nan, activations must be finite", std::invalid_argument);
  CHECK_THROWS_WITH_AS(check_finite(make<std::uint16_t>(DType::f2, {2}, {0, 0xfc00}), "targets"),
                       "x.npy: the value at [1] is -inf, targets must be finite",
                       std::invalid_argument);
}

TEST_CASE("array: shapes") {
  const Array array = make<float>(DType::f4, {2, 3}, std::vector<float>(6));
  CHECK(array.size() == 6);
  CHECK(array.extent(1) == 3);
  CHECK(array.extent(2) == 1);
  CHECK(array.shape_text() == "2 x 3");
  CHECK(Array{}.shape_text() == "a single number");
  CHECK(formats::index_text(5, std::vector<std::int64_t>{2, 3}) == "[1, 2]");
  std::vector<float> too_small(5);
  CHECK_THROWS_WITH_AS(formats::copy_to<float>(array, too_small),
                       "x.npy: 2 x 3 copied into room for 5 numbers", std::invalid_argument);
  const std::vector<std::int64_t> huge = {1LL << 32, 1LL << 32};
  CHECK_THROWS_WITH_AS(formats::element_count(huge, "x.npy"),
                       "x.npy: the shape asks for more than 2^63 numbers", std::invalid_argument);
}
