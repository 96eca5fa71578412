// SPDX-License-Identifier: Apache-2.0
#include "datasets/shapes3d/official.h"

#include <cmath>
#include <sstream>
#include <stdexcept>

#include "datasets/shapes3d/render.h"
#include "datasets/shapes3d/task.h"

namespace conoscope::datasets::shapes3d {
namespace {

/// The values of a factor: first + class * step.
struct Scale {
  double first, step;
};
constexpr Scale kScales[kFactors] = {{0.0, 0.1},        {0.0, 0.1}, {0.0, 0.1},
                                     {0.75, 0.5 / 7.0}, {0.0, 1.0}, {-30.0, 60.0 / 14.0}};
constexpr double kTolerance = 0.01;  ///< of a step: rounding, and no more

FactorTable read_table(const formats::Array& labels) {
  if (labels.shape.size() != 2 || labels.shape[1] != kFactors)
    throw std::invalid_argument(labels.origin + ": " + labels.shape_text() +
                                ", expected n x 6: floor_hue, wall_hue, object_hue, scale, shape, "
                                "orientation");
  const auto values = formats::to_vector<double>(labels);
  FactorTable table{{kSizes.begin(), kSizes.end()}, {}};
  table.classes.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t f = i % kFactors;
    const double exact = (values[i] - kScales[f].first) / kScales[f].step;
    const double nearest = std::round(exact);
    if (!(std::abs(exact - nearest) <= kTolerance && nearest >= 0.0 && nearest < kSizes[f])) {
      std::ostringstream text;
      text << labels.origin << ": " << kFactorNames[f] << " at [" << i / kFactors << "] is "
           << values[i] << ", expected " << kScales[f].first << " to "
           << kScales[f].first + (kSizes[f] - 1) * kScales[f].step << " in steps of "
           << kScales[f].step;
      throw std::invalid_argument(text.str());
    }
    table.classes.push_back(static_cast<std::uint8_t>(nearest));
  }
  return table;
}

}  // namespace

const OfficialLayout kOfficial = {
    "images", {kSide, kSide, kChannels}, false, "labels", "/labels", "labels", read_table};

}  // namespace conoscope::datasets::shapes3d
