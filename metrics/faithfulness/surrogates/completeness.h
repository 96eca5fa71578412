// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/faithfulness/measure.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// Which fraction of samples gets its label? argmax of the logits, ties: the lowest index.
///
/// logits   n x C.   labels  one per sample, in 0 ... C-1.
/// throws   std::invalid_argument: another number of labels than samples, a label outside 0 ... C-1
double accuracy(const Logits& logits, const IndexVector& labels);

/// What part of the model's accuracy above chance does its surrogate keep?
///
///   (acc(surrogate) - a_r) / (acc(model) - a_r),   a_r = 1 / C
///
/// model, surrogate  n x C.   labels  the true classes.
/// returns  1: all of it, 0: chance; negative below chance, above 1 where the surrogate is right
///          more often than the model. Where the model itself is below chance all this is upside
///          down, and a caveat says so.
/// throws   std::invalid_argument: as accuracy, shapes that differ
///          std::domain_error: the model's accuracy is chance, so there is nothing to keep
///
/// Source: Yeh et al., NeurIPS 2020 (ConceptSHAP, completeness), as Kumar and Ahuja,
/// arXiv 2504.10833, Eq. 8, which prints a_r subtracted from sums; accuracies are meant.
Result completeness(const Logits& model, const Logits& surrogate, const IndexVector& labels);

/// Of any surrogate.
Measure completeness_measure();

namespace declare {
/// `completeness` of SURF's surrogate; that of C-SHAP's network is c_shap_eval_..._completeness.
std::vector<Metric> completeness();
}  // namespace declare

}  // namespace conoscope::metrics
