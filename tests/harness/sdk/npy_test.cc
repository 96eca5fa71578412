// SPDX-License-Identifier: Apache-2.0
#include "conoscope/sdk/npy.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/npy_bytes.h"
#include "tests/support/throws.h"

namespace sdk = conoscope::sdk;

namespace {

std::string header_bytes(const std::string& dict, int major = 1) {
  std::string bytes("\x93NUMPY", 6);
  bytes += static_cast<char>(major);
  bytes += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(dict.size() >> (8 * i) & 0xff);
  return bytes + dict;
}

sdk::NpyHeader parse(const std::string& bytes) { return sdk::parse_npy_header(bytes, "a.npy"); }

}  // namespace

TEST_CASE("a header that was made is read back, for every dtype and number of dimensions") {
  for (const std::int32_t dtype : {CONO_F32, CONO_F64, CONO_I32, CONO_I64, CONO_U8, CONO_F16})
    for (const auto& shape : {std::vector<std::int64_t>{7},
                              {0},
                              {2, 3},
                              {5, 1, 4},
                              {1, 2, 3, 4, 5, 6},
                              {123456789012, 1}}) {
      const std::string bytes = sdk::make_npy_header(dtype, shape);
      CHECK(bytes.size() % 64 == 0);
      CHECK(bytes.back() == '\n');
      const auto header = parse(bytes);
      CHECK(sdk::dtype_of_npy(header.descr) == dtype);
      CHECK_FALSE(header.fortran_order);
      CHECK(header.shape == shape);
      CHECK(header.data_offset == bytes.size());
    }
}

TEST_CASE("the made header is byte for byte NumPy's") {
  // numpy.save(f, numpy.zeros((2, 3), "<f4")), up to the data.
  const std::string dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  const std::string expected = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + dict +
                               std::string(117 - dict.size(), ' ') + '\n';
  CHECK(sdk::make_npy_header(CONO_F32, std::vector<std::int64_t>{2, 3}) == expected);
  // One dimension is written as Python writes a tuple of one: (5,).
  CHECK(sdk::make_npy_header(CONO_I64, std::vector<std::int64_t>{5}).find("'shape': (5,), }") !=
        std::string::npos);
}

TEST_CASE("make refuses a dtype that is not of the border") {
  CHECK_THROWS_SAYING(sdk::make_npy_header(17, std::vector<std::int64_t>{1}), std::invalid_argument,
                      "unknown dtype 17");
}

TEST_CASE("headers as others write them") {
  SUBCASE("formats 2 and 3 have a longer length field") {
    for (const int major : {2, 3}) {
      const auto header =
          parse(header_bytes("{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }\n", major));
      CHECK(header.shape == std::vector<std::int64_t>{4});
      CHECK(header.data_offset == 12 + 58);
    }
  }
  SUBCASE("column-major") {
    CHECK(parse(conoscope::testing::npy_bytes<float>("<f4", "(2, 3)", {}, true)).fortran_order);
  }
  SUBCASE("a scalar has no extents") {
    CHECK(parse(header_bytes("{'descr': '<f8', 'fortran_order': False, 'shape': (), }"))
              .shape.empty());
  }
  SUBCASE("long integers of Python 2, and keys in another order") {
    const auto header =
        parse(header_bytes("{'shape': (3L, 4L), 'fortran_order': False, 'descr': '<i4'}"));
    CHECK(header.shape == std::vector<std::int64_t>{3, 4});
    CHECK(header.descr == "<i4");
  }
  SUBCASE("big-endian and other dtypes are read, and known by nobody") {
    for (const char* descr : {">f4", "<c8", "|b1", "<u8", "<U5", "|O"}) {
      CHECK(parse(header_bytes(std::string("{'descr': '") + descr +
                               "', 'fortran_order': False, 'shape': (1,)}"))
                .descr == descr);
      CHECK(sdk::dtype_of_npy(descr) == 0);
    }
  }
}

TEST_CASE("every fault of a header names the file and says what is wrong") {
  const auto refused = [](const std::string& bytes, const std::string& why) {
    CHECK_THROWS_SAYING(parse(bytes), std::invalid_argument, "a.npy: ", why);
  };
  refused("", "0 bytes, too few");
  refused(std::string("\x93NUMPY\x01\x00\x00", 9), "9 bytes, too few");
  refused("PK\x03\x04 is a zip file", "first six bytes");
  refused(header_bytes("{}", 4), "version 4");
  refused(header_bytes("{}", 0), "version 0");
  refused(header_bytes("", 2).substr(0, 11), "cut short inside the .npy header");
  const std::string whole = header_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}");
  refused(whole.substr(0, whole.size() - 1), "of " + std::to_string(whole.size()) + " bytes");
  refused(header_bytes("{'fortran_order': False, 'shape': (2,)}"), "has no 'descr'");
  refused(header_bytes("{'descr': '<f4', 'shape': (2,)}"), "has no 'fortran_order'");
  refused(header_bytes("{'descr': '<f4', 'fortran_order': False}"), "has no 'shape'");
  refused(header_bytes("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,)}"),
          "structured dtype (records) is not an array of numbers: [('x', '<f4')]");
  refused(header_bytes("{'descr': '<f4"), "malformed 'descr'");
  refused(header_bytes("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}"),
          "malformed 'fortran_order'");
  for (const char* shape : {"2", "[2]", "(2", "(-1,)", "(2.5,)", "(x,)", "(99999999999999999999,)"})
    refused(header_bytes(std::string("{'descr': '<f4', 'fortran_order': False, 'shape': ") + shape +
                         "}"),
            "malformed 'shape'");
}

TEST_CASE("a header cut short anywhere is an error, never a crash") {
  const std::string bytes = sdk::make_npy_header(CONO_F64, std::vector<std::int64_t>{3, 4});
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const std::vector<char> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
    CHECK_THROWS_AS(sdk::parse_npy_header(cut, "cut.npy"), std::invalid_argument);
  }
}
