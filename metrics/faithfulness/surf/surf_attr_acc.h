// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/faithfulness/measure.h"

namespace conoscope::metrics {

/// How often does the surrogate see an attribute where the model sees it?
///
///   Attr-Acc = 1/(n C) #{(x, c): [s_c(x) > 0] = [y_c(x) > 0]},   a logit of 0 counts as absent
///
/// For C independent binary attributes (sigmoid outputs).
///
/// model, surrogate  n x C, raw (no softmax), see model_logits and surf_surrogate.
/// returns  [0, 1]; 1: every thresholded output agrees. Agreement with the model, not the labels.
/// throws   std::invalid_argument: shapes that differ
///
/// Source: Kumar and Ahuja, arXiv 2504.10833 (SURF), CelebA results. The paper does not define it;
/// its 96.6 % for MCD exceeds the model's own accuracy on the labels, so it must be agreement with
/// the model.
Result surf_attr_acc(const Logits& model, const Logits& surrogate);

/// Of any surrogate.
Measure surf_attr_acc_measure();

}  // namespace conoscope::metrics
