// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/faithfulness/measure.h"

namespace conoscope::metrics {

/// How far is the surrogate's answer from the model's, in logits?
///
///   MAE = 1/(n C) sum_x sum_c |y_c(x) - s_c(x)|
///
/// model, surrogate  n x C, raw (no softmax), see model_logits and surf_surrogate.
/// returns  [0, inf), unit of the logits; 0: the explanation is all there is to the model.
///          The only SURF measure of a regression, where C may be 1.
/// throws   std::invalid_argument: shapes that differ
///
/// Source: Kumar and Ahuja, arXiv 2504.10833 (SURF), SURF_MAE.
Result surf_mae(const Logits& model, const Logits& surrogate);

/// Of any surrogate.
Measure surf_mae_measure();

}  // namespace conoscope::metrics
