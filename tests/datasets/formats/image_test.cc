// SPDX-License-Identifier: Apache-2.0
#include "datasets/formats/image.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "tests/support/scratch.h"
#include "tests/support/throws.h"
#include "tests/support/write_image.h"

using namespace conoscope::testing;
using conoscope::formats::centre_square;
using conoscope::formats::Colour;
using conoscope::formats::Image;
using conoscope::formats::read_image;
using Numbers = std::vector<std::uint8_t>;

TEST_CASE("image: PNG, as it is and in the colour asked for") {
  const Scratch scratch;
  const Numbers rgb = {255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30, 200, 100, 50, 0, 0, 0};
  const auto colour = scratch.write("colour.jpg", png_bytes(2, 3, 3, rgb));  // a name that lies
  const Image image = read_image(colour, Colour::kRgb);
  CHECK(image.height == 2);
  CHECK(image.width == 3);
  CHECK(image.channels == 3);
  CHECK(image.numbers == rgb);
  // 0.299 R + 0.587 G + 0.114 B
  CHECK(read_image(colour, Colour::kGrey).numbers == Numbers{76, 150, 29, 18, 124, 0});

  const auto grey = scratch.write("grey.png", png_bytes(1, 2, 1, {7, 200}));
  CHECK(read_image(grey, Colour::kGrey).numbers == Numbers{7, 200});
  CHECK(read_image(grey, Colour::kRgb).numbers == Numbers{7, 7, 7, 200, 200, 200});
  const auto alpha = scratch.write("alpha.png", png_bytes(1, 1, 4, {9, 8, 7, 128}));
  CHECK(read_image(alpha, Colour::kRgb).numbers == Numbers{9, 8, 7});
}

TEST_CASE("image: JPEG, near what was written") {
  const Scratch scratch;
  const auto colour =
      scratch.write("a.jpg", jpeg_bytes(16, 24, 3, plain_rgb(16, 24, 200, 100, 50)));
  const Image image = read_image(colour, Colour::kRgb);
  CHECK(image.height == 16);
  CHECK(image.width == 24);
  REQUIRE(image.numbers.size() == 16 * 24 * 3);
  for (std::size_t i = 0; i < image.numbers.size(); ++i)
    REQUIRE(std::abs(image.numbers[i] - (i % 3 == 0 ? 200 : i % 3 == 1 ? 100 : 50)) <= 2);
  CHECK(std::abs(read_image(colour, Colour::kGrey).numbers[5] - 124) <= 1);
  const auto grey = scratch.write("g.jpg", jpeg_bytes(8, 8, 1, Numbers(64, 90)));
  CHECK(read_image(grey, Colour::kRgb).numbers == Numbers(64 * 3, 90));
}

TEST_CASE("image: what is refused, naming the file") {
  const Scratch scratch;
  Numbers noise(64 * 64 * 3);
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<std::uint8_t>(i * i % 253);
  std::string png = png_bytes(64, 64, 3, noise);
  const std::string jpeg = jpeg_bytes(64, 64, 3, noise);
  const auto refused = [&](const std::string& name, std::string_view bytes, const char* why) {
    const auto path = scratch.write(name, bytes);
    CHECK_THROWS_SAYING(read_image(path, Colour::kRgb), std::invalid_argument, path + ": ", why);
  };
  refused("cut.png", std::string_view(png).substr(0, png.size() / 2),
          "damaged PNG file: cut short");
  refused("end.png", std::string_view(png).substr(0, png.size() - 12),
          "damaged PNG file: cut short");
  refused("head.png", std::string_view(png).substr(0, 10), "damaged PNG file: cut short");
  png[png.size() / 2] = static_cast<char>(png[png.size() / 2] ^ 1);
  refused("crc.png", png, "damaged PNG file: ");
  refused("cut.jpg", std::string_view(jpeg).substr(0, jpeg.size() / 2),
          "damaged JPEG file: Premature end of JPEG file");
  refused("head.jpg", std::string_view(jpeg).substr(0, 20), "damaged JPEG file: ");
  refused("cmyk.jpg", jpeg_bytes(8, 8, 4, Numbers(256, 9)), "a CMYK image; save it as RGB");
  // Its header alone would have 2.7 GB reserved.
  refused("huge.jpg",
          std::string_view("\xff\xd8\xff\xc0\0\x0b\x08\x75\x75\x75\0\1\1\x11\xf4\xf5"
                           "\xff\xda\0\x08\1\1\0\0\x3f\x20",
                           26),
          "30069 x 29952 pixels cannot be in 26 bytes");
  refused("empty.png", "", "empty");
  refused("words.png", "words", "neither a PNG nor a JPEG file");
  const auto none = scratch.path("none.png");
  CHECK_THROWS_SAYING(read_image(none, Colour::kRgb), std::invalid_argument,
                      none + ": No such file or directory");
}

TEST_CASE("image: the centre square, by area") {
  const Image wide{2, 4, 1, {9, 10, 20, 9, 9, 30, 40, 9}};
  CHECK(centre_square(wide, 2).numbers == Numbers{10, 20, 30, 40});
  CHECK(centre_square(wide, 1).numbers == Numbers{25});
  CHECK(centre_square(wide, 4).numbers ==
        Numbers{10, 10, 20, 20, 10, 10, 20, 20, 30, 30, 40, 40, 30, 30, 40, 40});
  // Three pixels to two: each new one covers one and a half.
  const Image three{3, 3, 1, {0, 30, 60, 0, 30, 60, 0, 30, 60}};
  CHECK(centre_square(three, 2).numbers == Numbers{10, 50, 10, 50});
  const Image rgb{1, 2, 3, {1, 2, 3, 4, 5, 6}};
  CHECK(centre_square(rgb, 1).numbers == Numbers{1, 2, 3});
  CHECK_THROWS_WITH_AS(centre_square(rgb, 0), "centre_square: 1 x 2 pixels to a side of 0",
                       std::invalid_argument);
}
