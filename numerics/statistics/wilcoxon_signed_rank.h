// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/types.h"

namespace conoscope::numerics {

struct WilcoxonSignedRank {
  double w = 0.0;     ///< sum of the ranks of the positive differences
  Index used = 0;     ///< pairs that differ
  bool exact = true;  ///< p from the exact null distribution
  double p = 1.0;     ///< two-sided
};

/// Are the differences of paired values symmetric around 0? Only their signs and ranks count.
///
///   W = sum of the mid-ranks of |a - b| over the pairs with a > b; equal pairs are dropped
///   p = min(1, 2 min(P(W' <= W), P(W' >= W))), every sign equally likely
///
/// Up to 50 used pairs the distribution is exact, ties included; beyond, the normal approximation
/// with correction for ties and continuity.
///
/// a, b     n >= 1 pairs
/// returns  p in [0, 1]; exact, it is not below 2^(1 - used): fewer than 6 pairs never reach 0.05.
///          Some 2,000 pairs of one sign have a p below the smallest double. No pair differs: p is 1.
/// throws   std::invalid_argument: lengths that differ, n < 1, a value not finite
///
/// Source: Wilcoxon, Biometrics Bulletin 1945; Pratt & Gibbons, 1981 (ties).
WilcoxonSignedRank wilcoxon_signed_rank(const VectorRef& a, const VectorRef& b);

}  // namespace conoscope::numerics
