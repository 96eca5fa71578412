// SPDX-License-Identifier: Apache-2.0
#include "datasets/dsprites/render.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "datasets/dsprites/task.h"
#include "datasets/formats/npz.h"
#include "tests/support/data_folder.h"

namespace dsprites = conoscope::datasets::dsprites;
namespace formats = conoscope::formats;
using dsprites::kPixels;
using dsprites::kSide;

namespace {

using Classes = std::array<std::uint8_t, 5>;

std::vector<std::uint8_t> rendered(const Classes& classes) {
  std::vector<std::uint8_t> image(kPixels);
  dsprites::render(classes, image);
  return image;
}

int area(const std::vector<std::uint8_t>& image) {
  return std::accumulate(image.begin(), image.end(), 0);
}

}  // namespace

TEST_CASE("dsprites render: a square of 15 x 15 pixels") {
  // scale 0.8: half side 7.68 from x = y = 32.516: centres from 24.84 to 40.19, pixels 25 ... 39.
  const auto image = rendered({0, 3, 0, 16, 16});
  for (int row = 0; row < kSide; ++row)
    for (int column = 0; column < kSide; ++column) {
      const bool inside = row >= 25 && row <= 39 && column >= 25 && column <= 39;
      REQUIRE(image[static_cast<std::size_t>(row * kSide + column)] == (inside ? 1 : 0));
    }
}

TEST_CASE("dsprites render: the ellipse lies, and turns counter-clockwise") {
  const auto pixel = [](const std::vector<std::uint8_t>& image, int row, int column) {
    return int{image[static_cast<std::size_t>(row * kSide + column)]};
  };
  const auto flat = rendered({1, 5, 0, 16, 16});
  CHECK(pixel(flat, 32, 22) == 1);
  CHECK(pixel(flat, 22, 32) == 0);
  const auto turned = rendered({1, 5, 5, 16, 16});  // by 46 degrees
  CHECK(pixel(turned, 25, 39) == 1);                // upper right
  CHECK(pixel(turned, 25, 25) == 0);                // upper left
}

TEST_CASE("dsprites render: posX moves right, posY down; the last orientation is the first again") {
  const auto image = rendered({2, 2, 7, 4, 20});
  double x = 0, y = 0;
  for (int i = 0; i < kPixels; ++i)
    if (image[static_cast<std::size_t>(i)]) x += i % kSide + 0.5, y += i / kSide + 0.5;
  CHECK(x / area(image) == doctest::Approx(16 + 32 * 4 / 31.0).epsilon(0.1));
  CHECK(y / area(image) == doctest::Approx(16 + 32 * 20 / 31.0).epsilon(0.1));
  for (std::uint8_t shape = 0; shape < 3; ++shape)
    CHECK((rendered({shape, 5, 0, 3, 30}) == rendered({shape, 5, 39, 3, 30})));
}

TEST_CASE("dsprites render: areas at scale 1, and no sprite touches the border") {
  for (std::uint8_t orientation = 0; orientation < 40; ++orientation) {
    CHECK(area(rendered({0, 5, orientation, 16, 16})) ==
          doctest::Approx(19.196 * 19.196).epsilon(0.1));
    CHECK(area(rendered({1, 5, orientation, 16, 16})) == doctest::Approx(289).epsilon(0.04));
    CHECK(area(rendered({2, 5, orientation, 16, 16})) == doctest::Approx(224).epsilon(0.05));
    for (std::uint8_t shape = 0; shape < 3; ++shape)
      for (const auto position : {std::uint8_t{0}, std::uint8_t{31}}) {
        const auto image = rendered({shape, 5, orientation, position, position});
        for (int i = 0; i < kSide; ++i) {
          const auto at = static_cast<std::size_t>(i);
          REQUIRE(image[at] + image[at * kSide] + image[at * kSide + 63] + image[63 * kSide + at] ==
                  0);
        }
      }
  }
}

TEST_CASE("dsprites render: what it refuses") {
  std::vector<std::uint8_t> image(kPixels);
  CHECK_THROWS_WITH_AS(dsprites::render(Classes{0, 6, 0, 0, 0}, image),
                       "dsprites: scale is 6, expected 0 to 5", std::invalid_argument);
  image.pop_back();
  CHECK_THROWS_WITH_AS(dsprites::render(Classes{}, image),
                       "dsprites: 5 classes and 4095 pixels, expected 5 and 4096",
                       std::invalid_argument);
}

TEST_CASE("dsprites render: against images of the published dataset") {
  const auto path =
      conoscope::testing::data_folder(CONOSCOPE_TEST_DATA_DIR) / "dsprites_real_463.npz";
  if (!std::filesystem::exists(path)) {
    MESSAGE("dsprites_real_463.npz is not there; CONOSCOPE_DATA_DIR says where the data are");
    return;
  }
  const formats::Npz archive(path.string());
  const auto images = archive.get("imgs");
  const auto latents = formats::to_vector<std::int64_t>(archive.get("latents_classes"));
  const auto n = static_cast<std::size_t>(images.shape[0]);
  REQUIRE(n == 463);
  double sum = 0.0, least = 1.0;
  int exact = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Classes classes;
    for (std::size_t f = 0; f < 5; ++f)
      classes[f] = static_cast<std::uint8_t>(latents[i * 6 + f + 1]);
    const auto image = rendered(classes);
    int both = 0, either = 0;
    for (std::size_t p = 0; p < kPixels; ++p) {
      const bool real = images.bytes[i * kPixels + p] != 0, ours = image[p] != 0;
      both += real && ours;
      either += real || ours;
    }
    const double iou = static_cast<double>(both) / either;
    sum += iou;
    least = std::min(least, iou);
    exact += both == either;
  }
  const double mean = sum / static_cast<double>(n);
  MESSAGE("mean intersection over union ", mean, ", least ", least, ", exact ", exact, " of ", n);
  CHECK(mean >= 0.995);
  CHECK(least >= 0.94);
}
