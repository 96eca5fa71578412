#pragma once

#include "metrics/types.h"

namespace conoscope::metrics {

/// How far is the surrogate's answer from the model's, in logits?
///
///   MAE = 1/(n C) sum_x sum_c |y_c(x) - s_c(x)|
///
/// model_logits, surrogate_logits  n x C, raw (no softmax), see model_logits and surf_surrogate.
/// returns  [0, inf), unit of the logits; 0: the explanation is all there is to the model.
///          The only SURF measure of a regression, where C may be 1.
/// throws   std::invalid_argument: n < 1, C < 1, shapes that differ, an entry not finite
///
/// Source: Kumar and Ahuja, arXiv 2504.10833 (SURF), SURF_MAE.
double surf_mae(const MatrixRef& model_logits, const MatrixRef& surrogate_logits);

}  // namespace conoscope::metrics
