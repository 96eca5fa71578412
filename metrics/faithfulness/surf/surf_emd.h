// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/faithfulness/measure.h"

namespace conoscope::metrics {

/// How much probability would have to move to turn the surrogate's answer into the model's?
///
///   EMD = 1/(2 n) sum_x sum_c |p_c(x) - q_c(x)|,   p, q = softmax of model and surrogate logits
///
/// Each softmax is shifted by its row's maximum, so logits in the thousands do not overflow.
///
/// model, surrogate  n x C, raw (no softmax), see model_logits and surf_surrogate.
/// returns  [0, 1]; 0: equal answers; 1: disjoint ones. One output (C = 1): always 0.
/// throws   std::invalid_argument: shapes that differ
///
/// Source: Kumar and Ahuja, arXiv 2504.10833 (SURF), SURF_EMD. Between distinct outputs the
/// ground distance is constant, so the earth mover's distance is the total variation; no linear
/// program is solved.
Result surf_emd(const Logits& model, const Logits& surrogate);

/// Of any surrogate.
Measure surf_emd_measure();

}  // namespace conoscope::metrics
