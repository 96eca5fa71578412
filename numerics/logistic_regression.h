// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/types.h"

namespace conoscope::numerics {

/// Multinomial logistic regression; for two classes a single sigmoid.
struct LogisticRegression {
  Matrix weight;     ///< classes x d; two classes: 1 x d, the score of class 1
  Vector intercept;  ///< one per row of weight

  Matrix probabilities(const MatrixRef& x) const;  ///< n x classes; of equal rows the same bits
  IndexVector classify(const MatrixRef& x) const;  ///< the lowest of equals
};

/// minimise over W, b   1/(2 C) ||W||^2 + sum of log-losses        the intercepts are not penalised
///
/// x        n x d.   labels  n, 0 ... classes-1; classes without samples are allowed.
/// returns  the optimum, found by a quasi-Newton method (L-BFGS) up to a gradient of 1e-6 sqrt(n),
///          or what rounding allows.
/// throws   std::invalid_argument: shapes that do not fit, classes < 2, a label out of range, an
///          entry not finite, C not positive
///
/// Source: scikit-learn's LogisticRegression with its defaults, solved further than those stop.
LogisticRegression logistic_regression(const MatrixRef& x, const IndexVector& labels, Index classes,
                                       double c = 1.0);

/// For two classes, and for more features than samples, as activations have: Newton steps
/// with halving, in the span of the rows where they are fewer than features, until the gradient
/// falls to 1e-8 of its first value or as low as rounding lets it.
///
/// throws   std::invalid_argument: x empty, labels not n of 0 and 1, an entry not finite, C not
///          positive and finite
LogisticRegression logistic_regression_newton(const MatrixRef& x, const IndexVector& labels,
                                              double c = 1.0);

}  // namespace conoscope::numerics
