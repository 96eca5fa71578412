// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "numerics/types.h"

namespace conoscope::numerics {

struct Correlation {
  double r = 0.0;
  double p = 1.0;  ///< two-sided, of r = 0
};

/// How close to a straight line do two quantities lie?
///
///   r = sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2)
///   t = r sqrt((n - 2) / (1 - r^2)),  n - 2 degrees of freedom
///
/// x, y     n >= 3 values each
/// returns  r in [-1, 1]; p holds for normal values; 0 at |r| = 1
/// throws   std::invalid_argument: lengths that differ, n < 3, a value not finite
///          std::domain_error: all values of x or of y are equal
///
/// Source: Pearson 1895; Student, Biometrika 1908.
Correlation pearson(const VectorRef& x, const VectorRef& y);

/// How close to a monotone curve?   Pearson's r of the mid-ranks, with the same t for p.
///
/// Everything as for pearson().
///
/// Source: Spearman, American Journal of Psychology 1904.
Correlation spearman(const VectorRef& x, const VectorRef& y);

/// How large must |rho| be for so many values to be significant, two-sided? The t of spearman() is too
/// lenient where there are few: at n = 5 it is content with 0.88, and only 1 will do.
///
/// n        >= 3
/// alpha    in (0, 1)
/// returns  the smallest value that rho takes, and reaches or exceeds in size with probability <= alpha if
///          all orders are alike and no ranks are tied; nothing: not even 1 is so rare (n <= 4 at 0.05)
/// throws   std::invalid_argument: n < 3, alpha outside
///
/// Exact up to n = 9 (all orders are counted), beyond it the Edgeworth series of algorithm AS 89, whose
/// critical values at 0.05 are the exact ones for every n from 10 to 13.
/// Source: Best & Roberts, Applied Statistics 24, 1975.
std::optional<double> spearman_critical_value(Index n, double alpha = 0.05);

}  // namespace conoscope::numerics
