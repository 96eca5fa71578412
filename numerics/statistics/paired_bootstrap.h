// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "numerics/types.h"

namespace conoscope::numerics {

struct PairedBootstrapOptions {
  Index resamples = 10000;
  double level = 0.95;
  std::uint64_t seed = 0;
};

struct PairedBootstrap {
  double difference = 0.0;       ///< mean(a - b)
  double low = 0.0, high = 0.0;  ///< percentile interval of the mean difference
  double p = 1.0;                ///< two-sided
};

/// Does the mean difference of paired values survive drawing the pairs anew, with replacement?
///
///   d* = mean of n differences drawn with replacement,  R times
///   interval: quantiles (1 -+ level)/2 of d*, linear between order statistics
///   p = (1 + #{|d* - d| >= |d|}) / (R + 1)          d* centred: the null hypothesis
///
/// a, b     n >= 2 pairs
/// returns  p in [1/(R + 1), 1]. With few pairs the interval is too short: with n = 5 it misses the
///          mean about twice as often as it says; prefer the t test there.
/// throws   std::invalid_argument: lengths that differ, n < 2, a value not finite, resamples < 1,
///          level outside (0, 1)
///
/// Source: Efron & Tibshirani, An Introduction to the Bootstrap, 1993, ch. 13 and 16.
PairedBootstrap paired_bootstrap(const VectorRef& a, const VectorRef& b,
                                 const PairedBootstrapOptions& options = {});

}  // namespace conoscope::numerics
