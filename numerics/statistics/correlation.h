#pragma once

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

}  // namespace conoscope::numerics
