// SPDX-License-Identifier: Apache-2.0
#include "datasets/dsprites/render.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "datasets/dsprites/task.h"

namespace conoscope::datasets::dsprites {
namespace {

struct Point {
  double x, y;
};

// A hair inside the nominal 9.6, 12.8 and 7.2: how the published images decide pixels on the edge.
constexpr double kSquare = 9.598, kEllipseX = 12.76, kEllipseY = 7.215;

/// Right half of the heart, from the notch at the top to the tip at the bottom.
constexpr Point kHeart[] = {
    {0, -5},       {0.12, -5.46}, {0.27, -5.91}, {0.51, -6.47}, {0.79, -7.02}, {1.17, -7.52},
    {1.62, -8.03}, {2.09, -8.42}, {2.78, -8.88}, {3.49, -9.16}, {4.22, -9.32}, {5.12, -9.31},
    {6, -9.15},    {6.8, -8.8},   {7.55, -8.33}, {8.18, -7.73}, {8.73, -7.04}, {9.15, -6.27},
    {9.43, -5.43}, {9.58, -4.57}, {9.59, -3.69}, {9.45, -2.83}, {9.19, -2},    {8.87, -1.22},
    {8.46, -0.51}, {8, 0.14},     {7.55, 0.75},  {7.08, 1.3},   {6.61, 1.82},  {6.15, 2.3},
    {5.66, 2.75},  {5.21, 3.21},  {4.73, 3.64},  {4.27, 4.09},  {3.79, 4.56},  {3.38, 4.92},
    {2.97, 5.36},  {2.64, 5.65},  {2.31, 6.05},  {1.94, 6.4},   {1.63, 6.8},   {1.29, 7.2},
    {1.01, 7.62},  {0.7, 8.05},   {0.46, 8.48},  {0.19, 9.13},  {0, 9.64}};
constexpr double kFarthest = 13.6;  ///< no point of a sprite is farther from its centre

const std::vector<Point>& heart() {
  static const std::vector<Point> outline = [] {
    std::vector<Point> points(std::begin(kHeart), std::end(kHeart));
    for (std::size_t i = std::size(kHeart) - 2; i > 0; --i)
      points.push_back({-kHeart[i].x, kHeart[i].y});
    return points;
  }();
  return outline;
}

/// Where the sprite stands: object coordinates from the screen's, and back.
struct Pose {
  double x, y, scale, cosine, sine;
};

/// Sets the pixels whose centres lie between left and right in a row.
void fill(std::span<std::uint8_t> image, int row, double left, double right) {
  const int from = std::max(0, static_cast<int>(std::ceil(left - 0.5)));
  const int to = std::min(kSide, static_cast<int>(std::ceil(right - 0.5)));
  if (from < to) std::fill_n(image.begin() + row * kSide + from, to - from, std::uint8_t{1});
}

/// Even-odd rule, row by row: an edge counts for the rows whose centres it spans, its lower end
/// left out.
void render_polygon(const Pose& pose, const std::vector<Point>& outline,
                    std::span<std::uint8_t> image) {
  std::array<std::vector<double>, kSide> crossings;
  const auto on_screen = [&pose](const Point& p) {  // the inverse of the map in the header
    return Point{pose.x + pose.scale * (p.x * pose.cosine + p.y * pose.sine),
                 pose.y + pose.scale * (p.y * pose.cosine - p.x * pose.sine)};
  };
  Point a = on_screen(outline.back());
  for (const Point& vertex : outline) {
    const Point b = on_screen(vertex);
    const double top = std::min(a.y, b.y), bottom = std::max(a.y, b.y);
    const int first = std::max(0, static_cast<int>(std::ceil(top - 0.5)));
    const int last = std::min(kSide, static_cast<int>(std::ceil(bottom - 0.5)));
    for (int row = first; row < last; ++row)
      crossings[static_cast<std::size_t>(row)].push_back(a.x + (row + 0.5 - a.y) * (b.x - a.x) /
                                                                   (b.y - a.y));
    a = b;
  }
  for (int row = 0; row < kSide; ++row) {
    auto& found = crossings[static_cast<std::size_t>(row)];
    std::sort(found.begin(), found.end());
    for (std::size_t i = 0; i + 1 < found.size(); i += 2) fill(image, row, found[i], found[i + 1]);
  }
}

/// Calls inside(X, Y) for the pixels near the sprite.
template <typename Inside>
void render_by_test(const Pose& pose, Inside inside, std::span<std::uint8_t> image) {
  const double reach = kFarthest * pose.scale;
  const int top = std::max(0, static_cast<int>(pose.y - reach)),
            bottom = std::min(kSide, static_cast<int>(pose.y + reach) + 1);
  const int left = std::max(0, static_cast<int>(pose.x - reach)),
            right = std::min(kSide, static_cast<int>(pose.x + reach) + 1);
  for (int row = top; row < bottom; ++row)
    for (int column = left; column < right; ++column) {
      const double dx = column + 0.5 - pose.x, dy = row + 0.5 - pose.y;
      const double x = (dx * pose.cosine - dy * pose.sine) / pose.scale;
      const double y = (dx * pose.sine + dy * pose.cosine) / pose.scale;
      image[static_cast<std::size_t>(row * kSide + column)] = inside(x, y) ? 1 : 0;
    }
}

}  // namespace

void render(std::span<const std::uint8_t> classes, std::span<std::uint8_t> image) {
  if (classes.size() != kFactors || image.size() != kPixels)
    throw std::invalid_argument("dsprites: " + std::to_string(classes.size()) + " classes and " +
                                std::to_string(image.size()) + " pixels, expected 5 and 4096");
  for (std::size_t f = 0; f < kFactors; ++f)
    if (classes[f] >= kSizes[f])
      throw std::invalid_argument("dsprites: " + std::string(kFactorNames[f]) + " is " +
                                  std::to_string(classes[f]) + ", expected 0 to " +
                                  std::to_string(kSizes[f] - 1));
  const double angle = 2.0 * std::numbers::pi * classes[2] / 39.0;
  const Pose pose{16.0 + 32.0 * classes[3] / 31.0, 16.0 + 32.0 * classes[4] / 31.0,
                  (5 + classes[1]) / 10.0, std::cos(angle), std::sin(angle)};
  std::fill(image.begin(), image.end(), std::uint8_t{0});
  if (classes[0] == 0)
    render_by_test(
        pose, [](double x, double y) { return std::max(std::abs(x), std::abs(y)) < kSquare; },
        image);
  else if (classes[0] == 1)
    render_by_test(
        pose,
        [](double x, double y) {
          return (x / kEllipseX) * (x / kEllipseX) + (y / kEllipseY) * (y / kEllipseY) < 1.0;
        },
        image);
  else
    render_polygon(pose, heart(), image);
}

}  // namespace conoscope::datasets::dsprites
