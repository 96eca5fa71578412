// SPDX-License-Identifier: Apache-2.0
#include "numerics/statistics/moments.h"

#include <cmath>
#include <stdexcept>

namespace conoscope::numerics {

double mean(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("mean: no values");
  // Differences to the first value: all 0 where the values are equal.
  double sum = 0;
  for (const double value : values) sum += value - values[0];
  return values[0] + sum / static_cast<double>(values.size());
}

double squared_deviations(std::span<const double> values) {
  const double centre = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return sum;
}

double sample_sd(std::span<const double> values) {
  if (values.size() < 2) throw std::invalid_argument("sample_sd: fewer than two values");
  return std::sqrt(squared_deviations(values) / static_cast<double>(values.size() - 1));
}

double standard_error(std::span<const double> values) {
  return sample_sd(values) / std::sqrt(static_cast<double>(values.size()));
}

}  // namespace conoscope::numerics
