// SPDX-License-Identifier: Apache-2.0
#include "datasets/dsprites/official.h"

#include <stdexcept>

#include "datasets/dsprites/render.h"
#include "datasets/dsprites/task.h"

namespace conoscope::datasets::dsprites {
namespace {

FactorTable read_table(const formats::Array& classes) {
  if (classes.shape.size() != 2 || classes.shape[1] != kFactors + 1 ||
      formats::is_floating(classes.dtype))
    throw std::invalid_argument(classes.origin + ": " + classes.shape_text() + " " +
                                formats::name_of(classes.dtype) +
                                ", expected n x 6 whole numbers: color, shape, scale, "
                                "orientation, posX, posY");
  const auto values = formats::to_vector<std::int64_t>(classes);
  FactorTable table{{kSizes.begin(), kSizes.end()}, {}};
  table.classes.reserve(values.size() / (kFactors + 1) * kFactors);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t column = i % (kFactors + 1);
    const std::int64_t size = column == 0 ? 1 : kSizes[column - 1];
    if (values[i] < 0 || values[i] >= size)
      throw std::invalid_argument(
          classes.origin + ": " + std::string(column == 0 ? "color" : kFactorNames[column - 1]) +
          " at [" + std::to_string(i / (kFactors + 1)) + "] is " + std::to_string(values[i]) +
          ", expected 0 to " + std::to_string(size - 1));
    if (column > 0) table.classes.push_back(static_cast<std::uint8_t>(values[i]));
  }
  return table;
}

}  // namespace

const OfficialLayout kOfficial = {
    "imgs", {kSide, kSide}, true, "latents_classes", "/latents/classes", "classes", read_table};

}  // namespace conoscope::datasets::dsprites
