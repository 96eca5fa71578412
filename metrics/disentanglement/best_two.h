// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <utility>

#include "metrics/types.h"

namespace conoscope::metrics::detail {

/// The largest and the second largest of two or more values.
template <typename Values>
std::pair<double, double> best_two(const Values& values) {
  double best = -std::numeric_limits<double>::infinity(), second = best;
  for (Index i = 0; i < values.size(); ++i) {
    second = std::max(second, std::min(best, static_cast<double>(values[i])));
    best = std::max(best, static_cast<double>(values[i]));
  }
  return {best, second};
}

}  // namespace conoscope::metrics::detail
