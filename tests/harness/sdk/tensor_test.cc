// SPDX-License-Identifier: Apache-2.0
#include "conoscope/sdk/tensor.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "conoscope/sdk/eigen.h"
#include "tests/support/throws.h"

namespace sdk = conoscope::sdk;

namespace {

template <typename T>
sdk::Tensor tensor_over(std::vector<T>& values, const std::vector<std::int64_t>& shape,
                        const char* name = "x") {
  return sdk::Tensor(sdk::make_tensor(values.data(), sdk::dtype_of<T>(), shape), name);
}

std::vector<double> visited(const sdk::Tensor& tensor) {
  std::vector<double> out;
  tensor.for_each([&](std::int64_t i, double value) {
    CHECK(i == static_cast<std::int64_t>(out.size()));
    out.push_back(value);
  });
  return out;
}

}  // namespace

TEST_CASE("make_tensor lays out rows one after another") {
  std::vector<double> values(24);
  const auto tensor = tensor_over(values, {2, 3, 4});
  CHECK(tensor.raw().struct_size == sizeof(cono_tensor));
  CHECK(tensor.dimensions() == 3);
  CHECK(tensor.rows() == 2);
  CHECK(tensor.shape(2) == 4);
  CHECK(tensor.stride(0) == 12);
  CHECK(tensor.stride(1) == 4);
  CHECK(tensor.stride(2) == 1);
  CHECK(tensor.size() == 24);
  CHECK(tensor.contiguous());
  CHECK(tensor.shape_text() == "2 x 3 x 4");
  CHECK(tensor.shape(3) == 1);  // behind the last axis
}

TEST_CASE("make_tensor refuses no and too many dimensions") {
  CHECK_THROWS_SAYING(sdk::make_tensor(nullptr, CONO_F64, std::vector<std::int64_t>{}),
                      std::invalid_argument, "0 dimensions", "1 to 6");
  CHECK_THROWS_SAYING(sdk::make_tensor(nullptr, CONO_F64, std::vector<std::int64_t>(7, 1)),
                      std::invalid_argument, "7 dimensions");
  CHECK(sdk::make_tensor(nullptr, CONO_F64, std::vector<std::int64_t>(6, 1)).ndim == 6);
}

TEST_CASE("values are the memory itself, of the right type only") {
  std::vector<float> values{1, 2, 3, 4};
  const auto tensor = tensor_over(values, {2, 2}, "activations");
  tensor.values<float>()[3] = 9;
  CHECK(values[3] == 9);
  CHECK(tensor.values<const float>().size() == 4);
  CHECK_THROWS_SAYING(tensor.values<double>(), std::invalid_argument, "activations", "float32",
                      "expected float64");

  cono_tensor column = tensor.raw();
  column.ndim = 1;
  column.shape[0] = 2;
  column.strides[0] = 2;
  CHECK_THROWS_SAYING(sdk::Tensor(column, "column").values<float>(), std::invalid_argument,
                      "column: not contiguous");
}

TEST_CASE("for_each reads every dtype as double") {
  std::vector<float> f32{0.5f, -1};
  std::vector<double> f64{0.25, -2};
  std::vector<std::int32_t> i32{7, -7};
  std::vector<std::int64_t> i64{1LL << 40, -1};
  std::vector<std::uint8_t> u8{0, 255};
  CHECK(visited(tensor_over(f32, {2})) == std::vector<double>{0.5, -1});
  CHECK(visited(tensor_over(f64, {2})) == std::vector<double>{0.25, -2});
  CHECK(visited(tensor_over(i32, {2})) == std::vector<double>{7, -7});
  CHECK(visited(tensor_over(i64, {2})) == std::vector<double>{1099511627776.0, -1});
  CHECK(visited(tensor_over(u8, {2})) == std::vector<double>{0, 255});
  cono_tensor unknown = tensor_over(u8, {2}).raw();
  unknown.dtype = 99;
  CHECK_THROWS_SAYING(sdk::Tensor(unknown, "odd").for_each([](std::int64_t, double) {}),
                      std::invalid_argument, "odd", "unknown dtype 99");
}

TEST_CASE("for_each follows any strides: transposed, every other, reversed, repeated") {
  std::vector<double> values{0, 1, 2, 3, 4, 5};  // 2 x 3
  cono_tensor raw = tensor_over(values, {2, 3}).raw();
  std::swap(raw.shape[0], raw.shape[1]);
  std::swap(raw.strides[0], raw.strides[1]);
  const sdk::Tensor transposed(raw);
  CHECK_FALSE(transposed.contiguous());
  CHECK(visited(transposed) == std::vector<double>{0, 3, 1, 4, 2, 5});

  cono_tensor every_other = sdk::make_tensor(values.data(), CONO_F64, std::vector<std::int64_t>{3});
  every_other.strides[0] = 2;
  CHECK(visited(sdk::Tensor(every_other)) == std::vector<double>{0, 2, 4});

  cono_tensor reversed =
      sdk::make_tensor(values.data() + 5, CONO_F64, std::vector<std::int64_t>{6});
  reversed.strides[0] = -1;
  CHECK(visited(sdk::Tensor(reversed)) == std::vector<double>{5, 4, 3, 2, 1, 0});

  cono_tensor repeated = tensor_over(values, {2, 3}).raw();
  repeated.strides[0] = 0;
  CHECK(visited(sdk::Tensor(repeated)) == std::vector<double>{0, 1, 2, 0, 1, 2});
}

TEST_CASE("the stride of an axis of extent 1 does not matter") {
  std::vector<double> values{0, 1, 2};
  cono_tensor raw = tensor_over(values, {1, 3}).raw();
  raw.strides[0] = 77;
  CHECK(sdk::Tensor(raw).contiguous());
  CHECK(visited(sdk::Tensor(raw)) == values);
}

TEST_CASE("an empty tensor has no elements") {
  std::vector<double> none;
  for (const auto& shape : {std::vector<std::int64_t>{0, 5}, std::vector<std::int64_t>{5, 0}}) {
    const auto tensor = tensor_over(none, shape);
    CHECK(tensor.size() == 0);
    CHECK(visited(tensor).empty());
    CHECK(tensor.values<double>().empty());
  }
}

TEST_CASE("dtypes have their names and sizes") {
  CHECK(sdk::dtype_size(CONO_F32) == sizeof(float));
  CHECK(sdk::dtype_size(CONO_F64) == sizeof(double));
  CHECK(sdk::dtype_size(CONO_I32) == 4);
  CHECK(sdk::dtype_size(CONO_I64) == 8);
  CHECK(sdk::dtype_size(CONO_U8) == 1);
  CHECK(sdk::dtype_size(0) == 0);
  CHECK(std::strcmp(sdk::dtype_name(CONO_U8), "uint8") == 0);
  CHECK(std::strcmp(sdk::dtype_name(7), "unknown dtype") == 0);
}

TEST_CASE("to_matrix splits the axes into rows and columns, whatever dtype and strides") {
  std::vector<float> values(12);
  for (std::size_t i = 0; i < 12; ++i) values[i] = static_cast<float>(i);
  const auto tensor = tensor_over(values, {2, 3, 2});
  const auto wide = sdk::to_matrix(tensor, 1);
  CHECK(wide.rows() == 2);
  CHECK(wide.cols() == 6);
  CHECK(wide(1, 5) == 11.0);
  const auto tall = sdk::to_matrix(tensor, 2);
  CHECK(tall.rows() == 6);
  CHECK(tall.cols() == 2);
  CHECK(tall(4, 1) == 9.0);
  cono_tensor raw = tensor_over(values, {3, 4}).raw();
  std::swap(raw.shape[0], raw.shape[1]);
  std::swap(raw.strides[0], raw.strides[1]);
  CHECK(sdk::to_matrix(sdk::Tensor(raw))(3, 1) == 7.0);
}

TEST_CASE("as_matrix is the same memory, and refuses another size") {
  std::vector<double> values(6);
  sdk::as_matrix(values, 2, 3)(1, 2) = 4.0;
  CHECK(values[5] == 4.0);
  CHECK_THROWS_SAYING(sdk::as_matrix(values, 2, 2), std::invalid_argument, "6 values for 2 x 2");
}

TEST_CASE("float16 reads as the number it is: every one of the 65536") {
  int good = 0;
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    sdk::Half half;
    half.bits = static_cast<std::uint16_t>(bits);
    const auto exponent = static_cast<int>(bits >> 10 & 31);
    const auto mantissa = static_cast<double>(bits & 1023);
    double expected =
        exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    if (exponent == 31) expected = mantissa == 0 ? HUGE_VAL : std::nan("");
    if (bits & 0x8000) expected = -expected;
    const auto got = static_cast<double>(half);
    const bool same = std::isnan(expected)
                          ? std::isnan(got)
                          : got == expected && std::signbit(got) == std::signbit(expected);
    const auto back = sdk::Half(static_cast<float>(half)).bits;
    good += same && (std::isnan(expected) ? (back & 0x7fff) > 0x7c00 : back == bits);
  }
  CHECK(good == 65536);
}

TEST_CASE("float16 is rounded to nearest, ties to even") {
  const auto rounded = [](float value) { return static_cast<float>(sdk::Half(value)); };
  CHECK(rounded(1.0F + 0x1p-11F) == 1.0F);                // a tie
  CHECK(rounded(1.0F + 3 * 0x1p-11F) == 1.0F + 0x1p-9F);  // a tie
  CHECK(rounded(1.0F + 0x1.8p-11F) == 1.0F + 0x1p-10F);
  CHECK(rounded(65519.0F) == 65504.0F);
  CHECK(rounded(65520.0F) == HUGE_VALF);
  CHECK(rounded(0x1p-25F) == 0.0F);  // a tie
  CHECK(rounded(0x1.8p-25F) == 0x1p-24F);
  CHECK(rounded(-0x1p-14F + 0x1p-25F) == -0x1p-14F + 0x0p0F);
}

TEST_CASE("tensors of float16 are walked, and rows are copied as float and double") {
  std::vector<sdk::Half> values;
  for (const float v : {1.0F, -2.5F, 0.0F, 65504.0F, 0x1p-24F, 7.0F}) values.emplace_back(v);
  const auto tensor = tensor_over(values, {3, 2}, "activations");
  CHECK(visited(tensor) == std::vector<double>{1.0, -2.5, 0.0, 65504.0, 0x1p-24, 7.0});
  CHECK(tensor.values<const sdk::Half>().size() == 6);
  std::vector<float> rows(4);
  tensor.row_block(1, 2).copy_to(std::span(rows));
  CHECK(rows == std::vector<float>{0.0F, 65504.0F, 0x1p-24F, 7.0F});
  std::vector<double> one(2);
  tensor.row_block(0, 1).copy_to(std::span(one));
  CHECK(one == std::vector<double>{1.0, -2.5});
  CHECK(tensor.row_block(3, 0).size() == 0);
  CHECK_THROWS_SAYING(tensor.row_block(2, 2), std::invalid_argument,
                      "activations: rows 2 to 4 of 3");
  CHECK_THROWS_SAYING(tensor.copy_to(std::span(one)), std::invalid_argument,
                      "6 numbers into room for 2");
  CHECK(sdk::to_matrix(tensor)(1, 1) == 65504.0);
  CHECK(sdk::dtype_size(CONO_F16) == sizeof(sdk::Half));
  CHECK(std::strcmp(sdk::dtype_name(CONO_F16), "float16") == 0);
}

TEST_CASE("a block of rows of a tensor with strides keeps them") {
  std::vector<double> values{0, 1, 2, 3, 4, 5, 6, 7};
  auto tensor = tensor_over(values, {4, 1});
  tensor.raw().strides[0] = 2;
  CHECK(visited(tensor.row_block(1, 2)) == std::vector<double>{2, 4});
}

TEST_CASE("a row index says where along the first axis each row lies") {
  std::vector<float> values(12);
  for (std::size_t i = 0; i < 12; ++i) values[i] = static_cast<float>(i);
  auto tensor = tensor_over(values, {3, 2, 2}, "activations");
  const std::vector<std::int64_t> rows{2, 0, 2};
  tensor.raw().row_index = rows.data();
  CHECK_FALSE(tensor.contiguous());
  CHECK_THROWS_SAYING(tensor.values<float>(), std::invalid_argument, "activations: not contiguous");
  CHECK(visited(tensor) == std::vector<double>{8, 9, 10, 11, 0, 1, 2, 3, 8, 9, 10, 11});
  CHECK(visited(tensor.row_block(1, 1)) == std::vector<double>{0, 1, 2, 3});
  CHECK(sdk::to_matrix(tensor, 2)(5, 1) == 11.0);
  std::swap(tensor.raw().strides[1], tensor.raw().strides[2]);  // each row transposed as well
  CHECK(visited(tensor.row_block(0, 2)) == std::vector<double>{8, 10, 9, 11, 0, 2, 1, 3});
  tensor.raw().shape[0] = 0;
  CHECK(visited(tensor).empty());
}
