// SPDX-License-Identifier: Apache-2.0
#include "datasets/formats/safetensors.h"

#include <doctest/doctest.h>

#include <cstring>
#include <stdexcept>

#include "datasets/formats/array_file.h"
#include "datasets/formats/read_array.h"
#include "tests/support/scratch.h"

namespace formats = conoscope::formats;
using conoscope::testing::Scratch;

namespace {

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  std::string out(values.size() * sizeof(T), '\0');
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

std::string file_of(const std::string& header, const std::string& data) {
  return bytes_of<std::uint64_t>({header.size()}) + header + data;
}

/// Two floats "a" (2), then three int16 "b" (3 x 1).
const std::string kHeader =
    R"({"__metadata__":{"by":"a \"hand\""}, "a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
    R"("b":{"dtype":"I16","shape":[3,1],"data_offsets":[8,14]}}  )";
const std::string kData = bytes_of<float>({1.5F, -2}) + bytes_of<std::int16_t>({7, 8, -9});

struct Written {
  Scratch scratch;
  std::string refusal(const std::string& bytes) const {
    const auto path = scratch.write("f.safetensors", bytes);
    try {
      const formats::Safetensors file(path);
      for (const auto& name : file.names()) file.get(name);
    } catch (const std::invalid_argument& error) {
      const std::string text = error.what();
      REQUIRE(text.starts_with(path + ": "));
      return text.substr(path.size() + 2);
    }
    return "";
  }

  /// The same header with one text in place of another.
  std::string with(const std::string& from, const std::string& to) const {
    std::string header = kHeader;
    REQUIRE(header.find(from) != header.npos);
    header.replace(header.find(from), from.size(), to);
    return refusal(file_of(header, kData));
  }
};

}  // namespace

TEST_CASE("safetensors: arrays by name") {
  const Scratch scratch;
  const auto path = scratch.write("f.safetensors", file_of(kHeader, kData));
  const formats::Safetensors file(path);
  CHECK(file.names() == std::vector<std::string>{"a", "b"});
  CHECK(formats::to_vector<double>(file.get("a")) == std::vector<double>{1.5, -2});
  CHECK(file.get("b").shape == std::vector<std::int64_t>{3, 1});
  CHECK(formats::to_vector<std::int64_t>(file.get("b")) == std::vector<std::int64_t>{7, 8, -9});
  CHECK(file.get("b").origin == path + ": b");
  CHECK_THROWS_WITH(file.get("c"), (path + ": no array 'c'; it holds a, b").c_str());
  std::vector<std::int64_t> wanted = {0, 2};
  std::vector<std::int16_t> rows;
  file.read_rows("b", wanted, [&](std::size_t, std::span<const char> row) {
    std::int16_t value;
    REQUIRE(row.size() == sizeof(value));
    std::memcpy(&value, row.data(), sizeof(value));
    rows.push_back(value);
  });
  CHECK(rows == std::vector<std::int16_t>{7, -9});
  // The kind is told by the content, not by the name.
  CHECK(formats::ArrayFile(scratch.write("f.bin", file_of(kHeader, kData))).has("b"));
  CHECK(formats::to_vector<double>(formats::read_array(path, "a"))[0] == 1.5);
}

TEST_CASE("safetensors: BF16 is the upper half of a float32") {
  const Scratch scratch;
  const auto path = scratch.write(
      "f.safetensors", file_of(R"({"x":{"dtype":"BF16","shape":[3],"data_offsets":[0,6]}})",
                               bytes_of<std::uint16_t>({0x3f80, 0xc049, 0x0001})));
  const formats::Array array = formats::Safetensors(path).get("x");
  CHECK(array.dtype == formats::DType::f4);
  CHECK(formats::to_vector<double>(array) == std::vector<double>{1.0, -3.140625, 0x1p-133});
}

TEST_CASE("safetensors: a header that lies is not believed") {
  const Written f;
  CHECK(f.refusal(file_of(kHeader, kData)) == "");
  CHECK(f.refusal("abc") == "cut short: 3 bytes, too few for a .safetensors header");
  CHECK(f.refusal(bytes_of<std::uint64_t>({~std::uint64_t{0}}) + "{}") ==
        "the header is said to have 18446744073709551615 bytes, but the file has 10: cut short, or "
        "not a .safetensors file");
  CHECK(f.refusal(file_of(kHeader, kData.substr(0, 13))) ==
        "b: its bytes are said to be 8 to 14, but the file has 13 behind the header");
  CHECK(f.refusal(file_of(kHeader, kData + "x")) ==
        "15 bytes behind the header, but the arrays have 14");
  CHECK(f.with("[0,8]", "[8,0]") ==
        "a: its bytes are said to be 8 to 0, but the file has 14 behind the header");
  CHECK(f.with("[8,14]", "[6,12]") == "b: its bytes begin at 6, but those before it end at 8");
  CHECK(f.with("\"shape\":[2]", "\"shape\":[3]") == "a: 8 bytes, expected 12 (3, F32)");
  CHECK(f.with("\"shape\":[2]", "\"shape\":[4294967296,4294967296,2]") ==
        "a: the shape asks for more than 2^63 numbers");
  CHECK(f.with("\"shape\":[2]", "\"shape\":[-2]")
            .ends_with("a whole number of 0 or more is expected"));
  CHECK(f.with("F32", "F8_E4M3") == "a: 8 bytes, expected 2 (2, F8_E4M3)");
  CHECK(f.with("F32", "F33") == "a: dtype F33 is not one that is known");
  CHECK(f.with("\"b\"", "\"a\"").ends_with("'a' is listed twice"));
  CHECK(f.with("\"shape\":[2],", "\"shape\":[1],\"shape\":[2],")
            .ends_with("'shape' is listed twice"));
  CHECK(f.with("\"shape\":[2],", "") == "a: the header has not its dtype, shape and two offsets");
  CHECK(f.with("}}  ", "}").ends_with("'}' is expected"));
  CHECK(f.with("}}  ", "}} x").ends_with("something follows the header's last brace"));
  CHECK(f.with("\"b\":", "\"b").ends_with("is expected"));
}

TEST_CASE("safetensors: a dtype that is known and not read") {
  const Written f;
  CHECK(f.refusal(file_of(R"({"x":{"dtype":"F8_E5M2","shape":[2],"data_offsets":[0,2]}})", "ab")) ==
        "x: dtype F8_E5M2 is not one that is read; save it as float32");
}
