// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;

/// Do predicted concepts say more about the label than the concepts themselves do, where concepts count
/// by their weight?
///
///   CTL_w = sum_i w_i CTL_i / sum_i w_i
///
/// concepts  CTL_i, see ctl(); k >= 1. weights: k, >= 0
/// returns   as ctl; equal weights give its mean.
/// throws    std::invalid_argument: lengths that differ, k < 1, a number not finite, a weight below 0
///           std::domain_error: all weights are 0
///
/// Source: Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025, the sentence
/// after Eq. 7, which leaves the weights open; its code has none.
double ctl_weighted(const VectorRef& concepts, const VectorRef& weights);

namespace declare {
/// ctl_weighted: by what the true concepts say about the label, w_i = I(c_i; y), so that leakage into a
/// concept that the label hardly depends on counts for little. Parts: the weights.
std::vector<Metric> ctl_weighted();
}  // namespace declare

}  // namespace conoscope::metrics
