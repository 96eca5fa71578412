// SPDX-License-Identifier: Apache-2.0
#include "datasets/shapes3d/render.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "datasets/formats/npz.h"
#include "tests/support/data_folder.h"

namespace shapes3d = conoscope::datasets::shapes3d;
namespace formats = conoscope::formats;
using shapes3d::Geometry;
using shapes3d::kNumbers;
using shapes3d::kSide;

namespace {

std::vector<std::uint8_t> rendered(const std::array<int, 6>& classes) {
  std::vector<std::uint8_t> image(kNumbers);
  shapes3d::paint(Geometry(classes[3], classes[4], classes[5]), classes[0], classes[1], classes[2],
                  image);
  return image;
}

std::array<int, 3> pixel(const std::vector<std::uint8_t>& image, int row, int column) {
  const auto at = static_cast<std::size_t>((row * kSide + column) * 3);
  return {image[at], image[at + 1], image[at + 2]};
}

}  // namespace

TEST_CASE("shapes3d render: sky above, floor below, the object between, in their hues") {
  // Hues 0: red, 3: 0.3 turns (yellowish green), 6: 0.6 (blue).
  const auto image = rendered({3, 0, 6, 3, 2, 7});
  CHECK(pixel(image, 0, 5) == std::array<int, 3>{153, 226, 249});
  const auto floor = pixel(image, 63, 5);
  CHECK(floor[2] == 0);
  CHECK(floor[1] > floor[0]);
  CHECK(floor[0] > 0);
  const auto wall = pixel(image, 22, 5);  // red
  CHECK(wall[0] > 100);
  CHECK(wall[1] + wall[2] == 0);
  const auto object = pixel(image, 42, 32);  // blue
  CHECK(object[2] > object[0]);
  CHECK(object[2] > object[1]);
}

TEST_CASE("shapes3d render: a larger scale covers more, the object stands in the middle") {
  for (int shape = 0; shape < 4; ++shape) {
    CAPTURE(shape);
    int before = 0;
    for (int scale = 0; scale < 8; ++scale) {
      const Geometry geometry(scale, shape, 7);
      int covered = 0;
      double columns = 0;
      const auto& samples = geometry.samples();
      for (std::size_t i = 0; i < samples.size(); ++i)
        if (samples[i].surface == Geometry::Surface::kObject)
          ++covered, columns += static_cast<double>(i % (2 * kSide)) + 0.5;
      CHECK(covered > before);
      CHECK(columns / covered == doctest::Approx(kSide).epsilon(0.01));
      before = covered;
    }
  }
}

TEST_CASE("shapes3d render: what it refuses") {
  CHECK_THROWS_WITH_AS(Geometry(0, 0, 15), "shapes3d: orientation is 15, expected 0 to 14",
                       std::invalid_argument);
  std::vector<std::uint8_t> image(kNumbers);
  CHECK_THROWS_WITH_AS(shapes3d::paint(Geometry(0, 0, 0), 0, 10, 0, image),
                       "shapes3d: a hue is 10, expected 0 to 9", std::invalid_argument);
  image.pop_back();
  CHECK_THROWS_WITH_AS(shapes3d::paint(Geometry(0, 0, 0), 0, 0, 0, image),
                       "shapes3d: 12287 numbers for an image, expected 12288",
                       std::invalid_argument);
}

TEST_CASE("shapes3d render: against images of the published dataset") {
  const auto path =
      conoscope::testing::data_folder(CONOSCOPE_TEST_DATA_DIR) / "shapes3d_real_50.npz";
  if (!std::filesystem::exists(path)) {
    MESSAGE("shapes3d_real_50.npz is not there; CONOSCOPE_DATA_DIR says where the data are");
    return;
  }
  const formats::Npz archive(path.string());
  const auto images = archive.get("images");
  const auto classes = formats::to_vector<std::int64_t>(archive.get("classes"));
  REQUIRE(images.shape == std::vector<std::int64_t>{50, 64, 64, 3});
  double sum = 0.0, worst = 0.0;
  for (std::size_t i = 0; i < 50; ++i) {
    std::array<int, 6> row;
    for (std::size_t f = 0; f < 6; ++f) row[f] = static_cast<int>(classes[i * 6 + f]);
    const auto image = rendered(row);
    double error = 0.0;
    for (std::size_t p = 0; p < kNumbers; ++p)
      error += std::abs(static_cast<unsigned char>(images.bytes[i * kNumbers + p]) -
                        static_cast<double>(image[p]));
    error /= kNumbers;
    sum += error;
    worst = std::max(worst, error);
  }
  MESSAGE("mean absolute error ", sum / 50, " of 255, worst image ", worst);
  CHECK(sum / 50 <= 6.0);
  CHECK(worst <= 12.0);
}
