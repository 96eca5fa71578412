#pragma once

#include "metrics/types.h"

namespace conoscope::metrics {

/// How much probability would have to move to turn the surrogate's answer into the model's?
///
///   EMD = 1/(2 n) sum_x sum_c |p_c(x) - q_c(x)|,   p, q = softmax of model and surrogate logits
///
/// Each softmax is shifted by its row's maximum, so logits in the thousands do not overflow.
///
/// model_logits, surrogate_logits  n x C, raw (no softmax), see model_logits and surf_surrogate.
/// returns  [0, 1]; 0: equal answers; 1: disjoint ones. One output (C = 1): always 0.
/// throws   std::invalid_argument: n < 1, C < 1, shapes that differ, an entry not finite
///
/// Source: Kumar and Ahuja, arXiv 2504.10833 (SURF), SURF_EMD. Between distinct outputs the
/// ground distance is constant, so the earth mover's distance is the total variation; no linear
/// program is solved.
double surf_emd(const MatrixRef& model_logits, const MatrixRef& surrogate_logits);

}  // namespace conoscope::metrics
