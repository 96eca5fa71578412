// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "numerics/types.h"

namespace conoscope::numerics {

/// One-feature linear classifiers: class c is preferred by slope[c] x + intercept[c].
struct LinearSvm {
  std::vector<double> slope, intercept;  ///< two classes: one entry, positive means class 1
  Index predict(double x) const;         ///< the lowest of equals
};

/// Squared-hinge support vector machine with one feature, solved to its (unique) optimum.
///
///   minimise over w, b   1/2 (w^2 + b^2) + sum_i C_i max(0, 1 - y_i (w x_i + b))^2
///
/// x        n values of the feature.   labels  n, 0 ... classes-1, every class present.
/// cost     C > 0. Balanced: class c weighs n / (classes n_c). Two classes: both weights apply.
///          More: each class against the rest, where only its own samples carry the weight.
/// throws   std::invalid_argument: lengths that differ, fewer than two classes, a label out of
///          range or a class without samples, an entry not finite, C not positive
///
/// Source: the problem that liblinear's L2-loss SVC solves in disentanglement_lib's SAP score, with
/// its weights as they are (the negatives of one-vs-rest are not balanced) and its penalised bias.
LinearSvm linear_svm(const VectorRef& x, const IndexVector& labels, Index classes,
                     double cost = 0.01);

}  // namespace conoscope::numerics
