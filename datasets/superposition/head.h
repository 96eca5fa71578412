// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/random.h"
#include "numerics/row_source.h"
#include "numerics/types.h"

namespace conoscope::datasets::superposition {

using numerics::Index;
using numerics::IndexVector;
using numerics::Matrix;
using numerics::MatrixRef;
using numerics::Vector;
using numerics::VectorRef;

/// The features of each class, `per_class` of them: of the classes * per_class features of the highest
/// rates (ties: the lower number), in bands of one for each class, every class gets one of each band, in
/// an order that is drawn.
///
/// returns  classes x per_class numbers of features, by falling rate
/// throws   std::invalid_argument: classes < 2, per_class < 1, or not that many features
std::vector<IndexVector> class_features(const VectorRef& rates, Index classes, Index per_class,
                                        numerics::Seed seed);

/// s_c = sum over the class's features k of weight_ck a_k.
///
/// a        rows x N
/// weights  classes x per_class
/// returns  rows x classes
/// throws   std::invalid_argument: sizes do not fit, or no such feature
Matrix class_scores(const MatrixRef& a, const std::vector<IndexVector>& sets,
                    const MatrixRef& weights);

/// Mean and standard deviation (divided by n) of each column.
struct Standard {
  Vector mean, sd;

  /// throws  std::invalid_argument: no rows
  ///         std::domain_error: a column is constant: none of a class's features ever is active
  static Standard of(const MatrixRef& scores);
  Matrix apply(const MatrixRef& scores) const;
};

/// The largest of each row; ties: the first.
IndexVector largest_of_rows(const MatrixRef& scores);

struct LinearHead {
  Matrix weight;  ///< C x D
  Vector bias;    ///< C
};

/// The linear head that comes nearest to the scores, by least squares with an intercept:
///
///   weight' = (X'X + ridge tr(X'X)/D I)^-1 X'S,   bias = mean of S - weight mean of X,   X, S centred
///
/// x        n x D, read a block at a time;  scores  S, n x C
/// ridge    >= 0
/// throws   std::invalid_argument: n differs, empty, ridge negative, or not finite
///          std::domain_error: X'X is singular, and ridge is 0
LinearHead fit_head(const numerics::RowSource& x, const MatrixRef& scores, double ridge);

}  // namespace conoscope::datasets::superposition
