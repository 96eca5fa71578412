// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "metrics/types.h"

namespace conoscope::metrics {

/// How often does a positive sample score above a negative one? Area under the ROC curve.
///
///   AUC = P(s+ > s-) + P(s+ = s-) / 2   over all pairs of a positive and a negative
///
/// labels   n, 0 or 1. scores: n, finite, of any size.
/// returns  0 ... 1; 0.5 for a constant score, below it for a reversed one.
/// throws   std::invalid_argument: lengths that differ, a label other than 0 and 1, a score not
///          finite
///          std::domain_error: one class only
double auc(std::span<const Index> labels, const VectorRef& scores);

/// The mean over classes of the AUC of their own column against all other samples; classes without
/// a sample are left out.
///
/// labels   n, in 0 ... C-1. scores: n x C.
/// throws   std::invalid_argument: lengths that differ, a label outside, a score not finite
///          std::domain_error: fewer than two classes have samples
double auc_one_vs_rest(std::span<const Index> labels, const MatrixRef& scores);

/// The mean over pairs of classes, both having samples, of the AUC among their samples, by the
/// first one's column and by the second one's.
///
/// labels, scores, throws  as auc_one_vs_rest
///
/// Source: Hand and Till, Machine Learning 45, 2001. scikit-learn differs: it fails where a class
/// has no sample, and the code of Parisini et al. then prints 0.
double auc_one_vs_one(std::span<const Index> labels, const MatrixRef& scores);

}  // namespace conoscope::metrics
