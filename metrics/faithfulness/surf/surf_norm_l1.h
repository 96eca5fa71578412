// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/faithfulness/measure.h"

namespace conoscope::metrics {

/// By what fraction is the surrogate off on the true class?
///
///   Norm L1 = mean_x |y_t - s_t| / |y_t|,   t the ground-truth class of x
///
/// model, surrogate  n x C, raw (no softmax), see model_logits and surf_surrogate.
/// labels   t, one per sample, in 0 ... C-1.
/// returns  value in [0, inf), 0: exact on the true class. A caveat says how many samples were left
///          out because y_t is exactly 0, where the ratio does not exist. No epsilon is added.
/// throws   std::invalid_argument: shapes that differ; another number of labels than samples, a label outside 0 ... C-1
///          std::domain_error: y_t is 0 in every sample
///
/// Source: Zhang et al., AAAI 2021 (ICE), as used in Kumar and Ahuja, arXiv 2504.10833, Eq. 5, here
/// applied to the SURF surrogate. InvertibleCE's code computes another quantity, divided by
/// |mean y| + 1e-4 within each class.
Result surf_norm_l1(const Logits& model, const Logits& surrogate, const IndexVector& labels);

/// Of any surrogate.
Measure surf_norm_l1_measure();

}  // namespace conoscope::metrics
