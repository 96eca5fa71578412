// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace conoscope::datasets::shapes3d {

constexpr int kSide = 64, kChannels = 3, kNumbers = kSide * kSide * kChannels;

/// What is seen in an image of 3dshapes except for its hues: images that share scale, shape and
/// orientation share it, and it is what costs.
class Geometry {
 public:
  /// throws  std::invalid_argument: a class out of range
  Geometry(int scale, int shape, int orientation);

  enum class Surface : std::uint8_t { kSky, kFloor, kWall, kObject };

  struct Sample {
    Surface surface = Surface::kSky;
    float intensity = 1.0F;  ///< of the surface's own colour
    float specular = 0.0F;   ///< white light on top of it
  };
  const std::vector<Sample>& samples() const { return samples_; }  ///< 128 x 128, row-major

 private:
  std::vector<Sample> samples_;
};

/// Draws an image of 3dshapes (Burgess & Kim, 2018): a cube, cylinder, sphere or capsule on the
/// floor of a room that is open at the top, 64 x 64 in colour, 2 x 2 samples for each pixel.
///
/// Scene (unit: half the edge of a cube of scale 1; z up; the object on the origin): a pinhole
/// camera of 45 degrees orbits at distance 8.15 and height 2.21, looking horizontally; back wall at
/// y = 11.69, side walls at x = -11.69 and 11.69, 5.91 high. Colour of a surface: HSV(hue, 1, 1)
/// times its intensity, plus the specular part. For normal n, direction v to the eye and L to the
/// sun:
///
///   object  0.325 + 0.648 max(0, n v) + 0.887 max(0, n L), specular 0.151 min(1, 3 max(0, n L))
///   wall    m (0.282 + 0.780 max(0, n v)), m = 1 (back), 0.882 (left), 0.756 (right)
///   floor   1.009 - 0.0495 x - 0.0074 y, within 0.35 and 1; 0.337 in the object's shadow
///
/// The constants are our fit to images of the published dataset (mean absolute error about 4.8 of
/// 255 grey levels); the faint texture of its walls is left out.
///
/// floor_hue, wall_hue, object_hue  class indices 0 ... 9: hues 0, 0.1 ... 0.9
/// image                            kNumbers values, row-major, RGB
/// throws                           std::invalid_argument: a hue out of range, or a span of another
///                                  size
void paint(const Geometry& geometry, int floor_hue, int wall_hue, int object_hue,
           std::span<std::uint8_t> image);

}  // namespace conoscope::datasets::shapes3d
