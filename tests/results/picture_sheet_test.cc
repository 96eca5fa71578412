// SPDX-License-Identifier: Apache-2.0
// Images in pages and drawings: PNG whose bytes decode to the same pixels, each image once.
#include "results/report/picture_sheet.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <cmath>

#include "results/report/explained_sample.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::results;

std::string from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int held = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    if ((held += 6) >= 8) out += static_cast<char>(bits >> (held -= 8) & 255U);
  }
  return out;
}

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < 4; ++i) out = out << 8 | static_cast<unsigned char>(bytes[at + i]);
  return out;
}

TEST_CASE("png_address: the same pixels come out, and every chunk has its checksum") {
  for (const std::uint32_t channels : {1U, 3U}) {
    Picture picture{5, 3, channels, {}};
    for (std::uint32_t i = 0; i < 15 * channels; ++i)
      picture.bytes += static_cast<char>(static_cast<unsigned char>(i * 37 % 256));
    const std::string address = png_address(picture), start = "data:image/png;base64,";
    REQUIRE(address.starts_with(start));
    const std::string png = from_base64(address.substr(start.size()));
    REQUIRE(png.starts_with("\x89PNG\r\n\x1a\n"));
    std::string pixels;
    for (std::size_t at = 8; at < png.size();) {
      const std::uint32_t size = number_at(png, at);
      const std::string body = png.substr(at + 4, 4 + size);
      CHECK(number_at(png, at + 8 + size) ==
            crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size())));
      if (body.starts_with("IHDR")) {
        CHECK(number_at(body, 4) == 5);
        CHECK(number_at(body, 8) == 3);
      }
      if (body.starts_with("IDAT")) {
        uLongf room = 1000;
        pixels.resize(room);
        REQUIRE(uncompress(reinterpret_cast<Bytef*>(pixels.data()), &room,
                           reinterpret_cast<const Bytef*>(body.data()) + 4, size) == Z_OK);
        pixels.resize(room);
      }
      at += 12 + size;
    }
    std::string rows;
    for (std::size_t r = 0; r < 3; ++r)
      rows += pixels.substr(r * (5 * channels + 1) + 1, 5 * channels);
    CHECK(rows == picture.bytes);
  }
  CHECK_THROWS_WITH_AS(png_address({2, 2, 1, "abc"}),
                       "picture: 3 bytes for 2 x 2 pixels of 1 channels", std::invalid_argument);
  CHECK_THROWS_AS(png_address({2, 2, 2, "abcdabcd"}), std::invalid_argument);
}

TEST_CASE("PictureSheet: an image is defined once, however often it is used") {
  PictureSheet sheet;
  CHECK(sheet.empty());
  const Picture one{2, 1, 1, "ab"}, other{1, 1, 1, "c"};
  const std::string used = sheet.use(one, 0, 0, 10);
  CHECK(used.find("href=\"#image-0\" transform=\"translate(0 2.5) scale(5)\"") != used.npos);
  CHECK(sheet.use(one, 4, 0, 10).find("#image-0") != std::string::npos);
  CHECK(sheet.use(other, 0, 0, 10).find("#image-1") != std::string::npos);
  const std::string all = sheet.definitions();
  CHECK(all.find("<image") != all.rfind("<image"));
  CHECK(all.find("id=\"image-0\"") == all.rfind("id=\"image-0\""));
}

TEST_CASE("PictureSheet: a page has room for so many images") {
  PictureSheet sheet;
  std::uint32_t state = 1;
  int used = 0;
  for (; !sheet.full() && used < 1000; ++used) {
    Picture noise{128, 128, 3, {}};
    for (int i = 0; i < 128 * 128 * 3; ++i) {
      state = state * 1664525U + 1013904223U;
      noise.bytes += static_cast<char>(static_cast<unsigned char>(state >> 24));
    }
    sheet.use(noise, 0, 0, 10);
  }
  CHECK(used > 80);  // 64 KiB each in base 64, 6 MiB in all
  CHECK(used < 110);
}

TEST_CASE("fired_grid, fired_outline: the area above half, as a path around it") {
  // Levels of two rows of two, see packed_positions().
  const double nan = std::nan("");
  const FiredGrid grid = fired_grid({63.0, 63.0 * 64.0 * 0.0, nan, nan});
  REQUIRE(grid.size() == 2);
  CHECK(grid[0][0] == 1.0);
  CHECK(grid[0][1] == 0.0);
  CHECK(grid[1][1] == 0.0);
  CHECK(fired_grid({nan, nan}).empty());
  CHECK(fired_outline({}, 0, 0, 8).empty());
  CHECK(fired_outline({{0.0, 0.0}, {0.0, 0.0}}, 0, 0, 8).empty());
  // All of it: the square's four sides.
  CHECK(fired_outline({{1.0, 1.0}, {1.0, 1.0}}, 1, 2, 8) == "M1 2h8M1 10h8M1 2v8M9 2v8");
  // The left half: bounded where the interpolation is a half, in the middle.
  CHECK(fired_outline({{1.0, 0.0}, {1.0, 0.0}}, 0, 0, 8) == "M0 0h4M0 8h4M0 0v8M4 0v8");
}

}  // namespace

}  // namespace conoscope::tests
