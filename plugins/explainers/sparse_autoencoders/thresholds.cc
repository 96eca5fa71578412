// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/sparse_autoencoders/thresholds.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "numerics/checks.h"

namespace conoscope::methods {
namespace {

void check(const char* function, const Matrix& pre, double l0, bool all) {
  numerics::require_filled(function, "pre", pre);
  const auto latents = static_cast<double>(pre.cols());
  if (!(l0 >= 0.0) || l0 > latents || (l0 == latents && !all))
    throw std::invalid_argument(std::string(function) + ": l0 = " + std::to_string(l0) + " of " +
                                std::to_string(pre.cols()) + " latents");
}

}  // namespace

double counted_threshold(const Matrix& pre, double l0) {
  check("counted_threshold", pre, l0, false);
  std::vector<double> values(pre.data(), pre.data() + pre.size());
  const auto next = static_cast<std::ptrdiff_t>(std::floor(l0 * static_cast<double>(pre.rows())));
  std::nth_element(values.begin(), values.begin() + next, values.end(), std::greater<>());
  return values[static_cast<std::size_t>(next)];
}

double quantile_threshold(const Matrix& pre, double l0) {
  check("quantile_threshold", pre, l0, true);
  std::vector<double> values(pre.data(), pre.data() + pre.size());
  const double place =
      (1.0 - l0 / static_cast<double>(pre.cols())) * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(std::floor(place));
  std::nth_element(values.begin(), values.begin() + below, values.end());
  const double low = values[static_cast<std::size_t>(below)];
  if (static_cast<std::size_t>(below) + 1 == values.size()) return low;
  const double high = *std::min_element(values.begin() + below + 1, values.end());
  return low + (place - static_cast<double>(below)) * (high - low);
}

}  // namespace conoscope::methods
