// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/faithfulness/measure.h"

namespace conoscope::metrics {

/// How far is the surrogate's probability of an attribute from the model's?
///
///   1/(n C) sum_x sum_c |sigmoid(y_c(x)) - sigmoid(s_c(x))|
///
/// For C independent binary attributes, whose outputs form no distribution: the mean over
/// attributes of what surf_emd is for two outcomes.
///
/// model, surrogate  n x C, raw (no softmax), see model_logits and surf_surrogate.
/// returns  [0, 1]; 0: equal probabilities.
/// throws   std::invalid_argument: shapes that differ
///
/// Source: ours, a bounded companion to SURF_MAE (Kumar and Ahuja, arXiv 2504.10833) for sigmoid
/// outputs.
Result surf_prob_mae(const Logits& model, const Logits& surrogate);

/// Of any surrogate.
Measure surf_prob_mae_measure();

}  // namespace conoscope::metrics
