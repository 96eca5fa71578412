// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/types.h"

namespace conoscope::numerics {

/// sum_d (a_d - b_d)^2 in double, in one fixed order: eight running sums, so that equal differences
/// give equal results whatever the compiler makes of the loop, and it need not wait for each
/// addition.
template <typename A, typename B>
double squared_difference(const A* a, const B* b, Index width) {
  double lane[8] = {};
  Index d = 0;
  for (; d + 8 <= width; d += 8)
    for (int l = 0; l < 8; ++l) {
      const double step = static_cast<double>(a[d + l]) - static_cast<double>(b[d + l]);
      lane[l] += step * step;
    }
  for (int l = 0; d < width; ++d, ++l) {
    const double step = static_cast<double>(a[d]) - static_cast<double>(b[d]);
    lane[l] += step * step;
  }
  return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

}  // namespace conoscope::numerics
