// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/types.h"

namespace conoscope::models {

/// A linear classifier: the concept is there where weight . x + intercept > 0.
struct HingeSvm {
  numerics::Vector weight;  ///< d
  double intercept = 0.0;
};

/// Support vector machine with a linear kernel, solved to its optimum.
///
///   minimise over w, b   1/2 |w|^2 + C sum_i max(0, 1 - y_i (w . x_i + b))        y_i = -1 or 1
///
/// x       n x d; a kernel of n x n is kept, so n is to be a few thousand at most.
/// there   n, 0 and 1, both of them occurring.
/// cost    C > 0.
/// returns the optimum, by sequential minimal optimisation with second-order choice of the pair, until
///         no pair violates its condition by more than 1e-6. Where any b of an interval is optimal, its middle.
/// throws  std::invalid_argument: shapes that do not fit, an entry not finite, a class that does not
///         occur, C not positive
///         std::runtime_error: it does not converge
///
/// Source: Fan, Chen & Lin, JMLR 6, 2005; the problem is that of scikit-learn's SVC.
HingeSvm hinge_svm(const numerics::MatrixRef& x, const numerics::IndexVector& there, double cost);

}  // namespace conoscope::models
