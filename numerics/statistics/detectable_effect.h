// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "numerics/types.h"

namespace conoscope::numerics {

/// How likely does a paired t test see a true difference?
///
///   power = P(|T'| >= t(1 - alpha, n - 1)),  T' noncentral Student(n - 1) with effect sqrt(n)
///
/// effect   true mean difference over the standard deviation of the differences; may be inf
/// n        pairs, >= 2.   alpha  in (0, 1)
/// returns  [alpha, 1]
/// throws   std::invalid_argument: n < 2, alpha outside, effect NaN
double paired_t_power(double effect, Index n, double alpha = 0.05);

/// The smallest |effect| that n pairs show with probability `power`.
/// throws   std::invalid_argument: n < 2, alpha outside (0, 1), power outside (alpha, 1)
double minimum_detectable_effect(Index n, double alpha = 0.05, double power = 0.8);

/// The fewest pairs that show `effect` with probability `power`; nothing: more than a million.
/// throws   std::invalid_argument: as above; effect NaN
std::optional<Index> pairs_needed(double effect, double alpha = 0.05, double power = 0.8);

// Source: Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988, ch. 2.

}  // namespace conoscope::numerics
