// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "datasets/superposition/forest.h"
#include "numerics/types.h"

namespace conoscope::datasets::superposition {

using numerics::Matrix;
using numerics::MatrixRef;

/// 0 or 1, rows x features.
using Fired = numerics::RowMajor<std::uint8_t>;

/// Makes room for what is a feature's own in the correlation of all: with rows F_i of the factor, the
/// rest of the variance is 1 - |F_i|^2. If some |F_i|^2 is 1 or more, the whole factor is scaled so that
/// the largest is `limit`.
///
/// factor   N x R
/// returns  N: 1 - |F_i|^2 of the scaled factor, which replaces the given one
/// throws   std::invalid_argument: empty or not finite; limit outside (0, 1)
///
/// Source: SynthSAEBench, arXiv 2602.14687, low-rank correlation; the scaling is its code's.
Vector bound_factor(Matrix& factor, double limit = 0.99);

/// Which features fire? A Gaussian copula: feature i of a row fires if
///
///   z_i = <F_i, e> + sqrt(own_i) eps_i > Phi^-1(1 - q_i)
///
/// factor   F, N x R;  own  N, as bound_factor() gives it
/// q        N drawing rates in [0, 1]; 1: always, 0: never
/// common   e, rows x R;  noise  eps, rows x N: standard normal
/// throws   std::invalid_argument: shapes do not fit, own negative, or a rate outside [0, 1]
///
/// Source: SynthSAEBench, arXiv 2602.14687, correlated firing.
Fired fires(const MatrixRef& factor, const VectorRef& own, const VectorRef& q,
            const MatrixRef& common, const MatrixRef& noise);

/// How much of a feature is in the rows where it fires:  a = max(0, mean_i + sd_i xi). A feature that
/// fires may still be 0.
///
/// noise    xi of a row and a feature: standard normal; asked for where one fires, row by row
/// throws   std::invalid_argument: sizes do not fit, or an sd is negative
///
/// Source: SynthSAEBench, arXiv 2602.14687, activation magnitudes.
Matrix magnitudes(const Fired& fired, const VectorRef& mean, const VectorRef& sd,
                  const std::function<double(Index row, Index feature)>& noise);

struct Gating {
  bool scale_children = true;  ///< else a child is only silenced where its parent is
  bool exclusive = true;       ///< of siblings at most one stays
};

/// What trees leave of activations, level by level from the roots:
///
///   child *= [parent > 0], or with scale_children *= a_parent / mean_parent, its parent already gated;
///   then, of m > 1 siblings above 0, in the order of their numbers, number floor(pick m) alone stays.
///
/// a        rows x N, >= 0; replaced
/// mean     N; above 0 for parents
/// pick     of a row and a parent: uniform in [0, 1); asked for where siblings compete, row by row and
///          level by level
/// throws   std::invalid_argument: sizes do not fit, or the mean of a parent is not above 0
///
/// Source: SynthSAEBench, arXiv 2602.14687, hierarchy, mutual exclusion; scale_children is its second
/// release's.
void gate(Matrix& a, const Forest& forest, const VectorRef& mean, const Gating& gating,
          const std::function<double(Index row, Index parent)>& pick);

}  // namespace conoscope::datasets::superposition
