#pragma once

#include "metrics/types.h"

namespace conoscope::metrics {

/// How much probability must move to turn p into q, when every move costs the same?
///
///   TV = 1/2 sum_c |p_c - q_c|
///
/// p, q     C probabilities each, >= 0, summing to 1 within 1e-6 (float32 softmax).
/// returns  [0, 1]; 0: p = q; 1: no outcome in common.
/// throws   std::invalid_argument: C < 1, lengths that differ, an entry negative or not finite, a
///          sum that is not 1
///
/// Source: Kumar and Ahuja, arXiv 2504.10833 (SURF): the earth mover's distance with ground
/// distance 1 between distinct outputs.
double total_variation(const VectorRef& p, const VectorRef& q);

}  // namespace conoscope::metrics
