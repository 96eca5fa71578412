// SPDX-License-Identifier: Apache-2.0
#include "metrics/summaries/packed_pixels.h"

#include <algorithm>
#include <cmath>

#include "metrics/metric.h"

namespace conoscope::metrics {

namespace {

constexpr Index kSide = 32;
constexpr double kPixel = 16777216.0;  // 2^24

/// The mean of one channel over the area that a small pixel covers.
double area(const VectorRef& image, const ImageView& of, Index row, Index column, Index channel) {
  const auto from = [](Index at, Index size) { return at * size / kSide; };
  const auto to = [&from](Index at, Index size) {
    return std::max(from(at, size) + 1, ((at + 1) * size + kSide - 1) / kSide);
  };
  double sum = 0.0, count = 0.0;
  for (Index r = from(row, of.height); r < to(row, of.height); ++r)
    for (Index c = from(column, of.width); c < to(column, of.width); ++c, ++count)
      sum += image[(r * of.width + c) * of.channels + channel];
  return sum / count;
}

}  // namespace

std::vector<std::string> pixel_columns(const std::string& name) {
  std::vector<std::string> out;
  for (Index p = 0; p < kSide * kSide / 2; ++p) out.push_back(name + "_" + std::to_string(p));
  return out;
}

PixelRange range_of(const ImageView& images) {
  PixelRange out{kUnbounded, -kUnbounded};
  numerics::for_each_block(images.pixels, 1, [&out](Index, const Matrix& block) {
    out.low = std::min(out.low, block.minCoeff());
    out.high = std::max(out.high, block.maxCoeff());
  });
  return out;
}

std::vector<double> packed_pixels(const VectorRef& image, const ImageView& of,
                                  const PixelRange& range) {
  if (of.channels != 1 && of.channels != 3)
    throw NotApplicable("images of " + std::to_string(of.channels) + " channels");
  std::vector<double> out;
  double first = 0.0;
  for (Index p = 0; p < kSide * kSide; ++p) {
    double pixel = 0.0;
    for (Index colour = 0; colour < 3; ++colour) {
      const double value = area(image, of, p / kSide, p % kSide, of.channels == 1 ? 0 : colour);
      const double share =
          range.high > range.low ? (value - range.low) / (range.high - range.low) : 0.0;
      pixel = pixel * 256.0 + std::round(255.0 * std::clamp(share, 0.0, 1.0));
    }
    if (p % 2 == 0)
      first = pixel;
    else
      out.push_back(first * kPixel + pixel);
  }
  return out;
}

}  // namespace conoscope::metrics
