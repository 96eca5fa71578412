// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "datasets/shapes3d/render.h"

namespace conoscope::datasets::shapes3d {
namespace {

using Colour = std::array<float, kChannels>;

constexpr Colour kSky = {153.0F / 255.0F, 226.0F / 255.0F, 249.0F / 255.0F};

/// HSV(hue / 10, 1, 1).
Colour of_hue(int hue) {
  if (hue < 0 || hue > 9)
    throw std::invalid_argument("shapes3d: a hue is " + std::to_string(hue) + ", expected 0 to 9");
  Colour colour;
  for (int channel = 0; channel < kChannels; ++channel) {
    const double turn = std::fmod(hue * 0.6 + (channel == 0 ? 0.0 : channel == 1 ? 4.0 : 2.0), 6.0);
    colour[static_cast<std::size_t>(channel)] =
        static_cast<float>(std::clamp(std::abs(turn - 3.0) - 1.0, 0.0, 1.0));
  }
  return colour;
}

}  // namespace

void paint(const Geometry& geometry, int floor_hue, int wall_hue, int object_hue,
           std::span<std::uint8_t> image) {
  if (image.size() != kNumbers)
    throw std::invalid_argument("shapes3d: " + std::to_string(image.size()) +
                                " numbers for an image, expected 12288");
  // In the order of Geometry::Surface.
  const std::array<Colour, 4> colours = {kSky, of_hue(floor_hue), of_hue(wall_hue),
                                         of_hue(object_hue)};
  const auto& samples = geometry.samples();
  std::uint8_t* to = image.data();
  for (std::size_t row = 0; row < kSide; ++row)
    for (std::size_t column = 0; column < kSide; ++column, to += kChannels) {
      Colour sum{};
      for (const std::size_t at : {0, 1, 2 * kSide, 2 * kSide + 1}) {
        const Geometry::Sample& sample = samples[row * 4 * kSide + 2 * column + at];
        const Colour& base = colours[static_cast<std::size_t>(sample.surface)];
        for (std::size_t c = 0; c < kChannels; ++c)
          sum[c] += std::min(1.0F, base[c] * sample.intensity + sample.specular);
      }
      for (std::size_t c = 0; c < kChannels; ++c)
        to[c] = static_cast<std::uint8_t>(sum[c] * (255.0F / 4.0F) + 0.5F);
    }
}

}  // namespace conoscope::datasets::shapes3d
