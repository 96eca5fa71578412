// SPDX-License-Identifier: Apache-2.0
#include "datasets/formats/npy.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "tests/support/capture_binding.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/scratch.h"

namespace formats = conoscope::formats;
using conoscope::testing::npy_bytes;
using conoscope::testing::Scratch;

namespace {

/// The message of what parsing the bytes throws, without the leading "f.npy: ".
std::string refusal(const std::string& bytes) {
  try {
    formats::parse_npy(bytes, nullptr, "f.npy");
  } catch (const std::invalid_argument& error) {
    const std::string text = error.what();
    REQUIRE(text.starts_with("f.npy: "));
    return text.substr(7);
  }
  return "";
}

}  // namespace

TEST_CASE("npy: a file in C order") {
  const Scratch scratch;
  const auto path =
      scratch.write("a.npy", npy_bytes<float>("<f4", "(2, 3)", {1, 2, 3, 4, 5, 6.5F}));
  const formats::Array array = formats::read_npy(path);
  CHECK(array.dtype == formats::DType::f4);
  CHECK(array.shape == std::vector<std::int64_t>{2, 3});
  CHECK(array.origin == path);
  CHECK(formats::to_vector<float>(array) == std::vector<float>{1, 2, 3, 4, 5, 6.5F});
}

TEST_CASE("npy: Fortran order is turned into C order") {
  // Element (i, j, k) of a 2 x 3 x 2 array is 100 i + 10 j + k; the first index runs fastest.
  std::vector<std::int16_t> stored, wanted;
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i) stored.push_back(static_cast<std::int16_t>(100 * i + 10 * j + k));
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 2; ++k) wanted.push_back(static_cast<std::int16_t>(100 * i + 10 * j + k));
  const std::string bytes = npy_bytes("<i2", "(2, 3, 2)", stored, true);
  const auto values = formats::to_vector<double>(formats::parse_npy(bytes, nullptr, "f.npy"));
  CHECK(values == std::vector<double>(wanted.begin(), wanted.end()));
}

TEST_CASE("npy: big-endian numbers are turned round") {
  const auto values = [](const std::string& bytes) {
    return formats::to_vector<double>(formats::parse_npy(bytes, nullptr, "f.npy"));
  };
  // As numpy.save() writes np.array([[1, -2, 3.5]], '>f4') and others.
  const std::vector<unsigned char> floats = {0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0, 0x40, 0x60, 0, 0};
  CHECK(values(npy_bytes(">f4", "(1, 3)", floats)) == std::vector<double>{1, -2, 3.5});
  const std::vector<unsigned char> halves = {0x3c, 0, 0xc0, 0};
  CHECK(values(npy_bytes(">f2", "(2,)", halves)) == std::vector<double>{1, -2});
  // In Fortran order, too: [[1, 3], [2, 4]].
  const std::vector<unsigned char> shorts = {0, 1, 0, 2, 0, 3, 0, 4};
  CHECK(values(npy_bytes(">i2", "(2, 2)", shorts, true)) == std::vector<double>{1, 3, 2, 4});
}

TEST_CASE("npy: uint64 beyond what the target holds is refused") {
  const auto bytes = npy_bytes<std::uint64_t>("<u8", "(2,)", {1, 0xffffffffffffffffu});
  const auto array = formats::parse_npy(bytes, nullptr, "f.npy");
  CHECK_THROWS_WITH(formats::to_vector<double>(array),
                    "f.npy: the value at [1] is 18446744073709551615, which float64 cannot hold");
  CHECK_THROWS_WITH(
      formats::to_vector<std::int64_t>(array),
      "f.npy: the value at [1] is 18446744073709551615, which is not a 64-bit integer");
  const auto large = npy_bytes<std::uint64_t>("<u8", "(1,)", {0x8000000000000000u});
  CHECK(formats::to_vector<double>(formats::parse_npy(large, nullptr, "f.npy"))[0] == 0x1p63);
}

TEST_CASE("npy: every dtype that is read") {
  using formats::DType;
  const std::string zeros(8, '\0');
  const std::pair<const char*, DType> known[] = {
      {"<f2", DType::f2}, {"<f4", DType::f4}, {"<f8", DType::f8}, {"|i1", DType::i1},
      {"<i2", DType::i2}, {"<i4", DType::i4}, {"<i8", DType::i8}, {"|u1", DType::u1},
      {"<u2", DType::u2}, {"<u4", DType::u4}, {"<u8", DType::u8}, {"|b1", DType::b1}};
  for (const auto& [descr, dtype] : known) {
    const std::vector<char> data(formats::size_of(dtype), 0);
    const std::string bytes = npy_bytes(descr, "(1,)", data);
    CAPTURE_BINDING(descr);
    CHECK(formats::parse_npy(bytes, nullptr, "f.npy").dtype == dtype);
  }
}

TEST_CASE("npy: dtypes that are refused, and what to do") {
  const std::vector<double> one = {1.0};
  CHECK(refusal(npy_bytes("|O", "(1,)", one)) ==
        "dtype '|O' holds pickled Python objects, which are never loaded; save numbers, as in "
        "a.astype('<f8')");
  CHECK(refusal(npy_bytes("<c8", "(1,)", one)) ==
        "dtype '<c8' is not one that is read; save it as a.astype('<f8') or a.astype('<i8')");
  CHECK(refusal(npy_bytes("<U2", "(1,)", one)) ==
        "dtype '<U2' is not one that is read; save it as a.astype('<f8') or a.astype('<i8')");
  std::string records = npy_bytes("#", "(1,)", one);
  records.replace(records.find("'#'"), 3, "[('x', '<f4'), ('y', '<f4')]");
  records[8] = static_cast<char>(records[8] + 25);
  CHECK(refusal(records) ==
        "a structured dtype (records) is not an array of numbers: [('x', '<f4'), ('y', '<f4')]; "
        "save one field, as in a['field']");
}

TEST_CASE("npy: too few and too many bytes") {
  const std::string whole = npy_bytes<float>("<f4", "(2, 3)", {1, 2, 3, 4, 5, 6});
  CHECK(refusal(whole) == "");
  CHECK(refusal(whole.substr(0, whole.size() - 1)) ==
        "cut short: expected 24 bytes of data (2 x 3, float32), found 23");
  CHECK(refusal(whole + "a") == "too long: expected 24 bytes of data (2 x 3, float32), found 25");
  CHECK(refusal(whole.substr(0, 40)).starts_with("cut short inside the .npy header: 40 of "));
  CHECK(refusal("\x93NUMPY") == "cut short: 6 bytes, too few for a .npy header");
  CHECK(refusal("") == "cut short: 0 bytes, too few for a .npy header");
  CHECK(refusal("just a line of text\n") ==
        "not a .npy file: the first six bytes are not \\x93NUMPY");
}

TEST_CASE("npy: shapes that no file can have") {
  CHECK(refusal(npy_bytes<float>("<f4", "(4294967296, 4294967296)", {})) ==
        "the shape asks for more than 2^63 numbers");
  CHECK(refusal(npy_bytes<double>("<f8", "(4611686018427387904,)", {})) ==
        "the shape asks for more than 2^63 numbers");
  CHECK(refusal(npy_bytes<float>("<f4", "(-1,)", {})) == "malformed 'shape' in the .npy header");
  CHECK(refusal(npy_bytes<float>("<f4", "(0, 3)", {})) == "");
}

TEST_CASE("npy: files that cannot be opened") {
  const Scratch scratch;
  CHECK_THROWS_WITH_AS(formats::read_npy(scratch.path("none.npy")),
                       (scratch.path("none.npy") + ": No such file or directory").c_str(),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(formats::read_npy(scratch.path("")),
                       (scratch.path("") + ": not a regular file").c_str(), std::invalid_argument);
  const auto empty = scratch.write("empty.npy", "");
  CHECK_THROWS_WITH_AS(formats::read_npy(empty),
                       (empty + ": cut short: 0 bytes, too few for a .npy header").c_str(),
                       std::invalid_argument);
}
