// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "plugins/explainers/types.h"

namespace conoscope::methods {

/// The first points of the Halton sequence, unscrambled: dimension d is the radical inverse of
/// 0, 1, 2, ... in the d-th prime. Point 0 is all zeros.
///
/// returns     points x dimensions, in [0, 1)
/// throws      std::invalid_argument: points or dimensions < 1
///
/// Source: J. H. Halton, Numerische Mathematik 2, 1960.
Matrix halton(Index points, Index dimensions);

/// Two samples of the unit cube, from which masks are mixed: row i of C_k is row i of A with entry
/// k of B.
struct SobolDesign {
  Matrix a, b;  ///< n x K each

  Index points() const { return a.rows(); }
  Index factors() const { return a.cols(); }

  /// ((K + 2) n) x K: A, then B, then C_1 ... C_K.
  Matrix masks() const;
};

/// A and B are the first K and the last K dimensions of a Halton sequence in 2K dimensions.
///
/// throws      std::invalid_argument: points < 2 or factors < 1
SobolDesign halton_design(Index points, Index factors);

/// How much of an output's variance involves each factor? (Sobol total indices by Jansen's
/// estimator)
///
///   S_k = sum_i (y_A,i - y_Ck,i)^2 / (2 n max(var(y_A), 1e-12)),   var with n - 1
///
/// outputs     (K + 2) n: of the rows of SobolDesign::masks(), in that order; finite
/// factors     K >= 1
/// returns     K, >= 0; 0 where the output does not depend on factor k
/// throws      std::invalid_argument: factors < 1; the size is no multiple of K + 2, or gives n <
///             2; an output is not finite
///
/// Source: M. J. W. Jansen, Computer Physics Communications 117, 1999. The floor is that of the
/// xplique toolbox; without it a constant output is undefined.
Vector sobol_total(const VectorRef& outputs, Index factors);

/// sobol_total of the outputs that many samples give on one design, one by one.
///
/// outputs_of  called with a sample and all masks; returns their (K + 2) n outputs
/// returns     samples x K
/// throws      std::invalid_argument: as sobol_total
Matrix sobol_total_sampled(
    Index samples, const SobolDesign& design,
    const std::function<Vector(Index sample, const Matrix& masks)>& outputs_of);

/// sobol_total of samples whose output is linear in the mask, y(m) = sum_k m_k z_k + constant, without
/// evaluating a mask:
///
///   S_k = z_k^2 sum_i (A_ik - B_ik)^2 / (2 n max(var(A z), 1e-12))
///
/// contributions  N x K, finite: z of each sample
/// returns        N x K
/// throws         std::invalid_argument: contributions empty, not finite, or not as wide as the
///                design; the design has fewer than 2 points, or A and B differ in shape
Matrix sobol_total_linear(const MatrixRef& contributions, const SobolDesign& design);

/// What each concept adds to one logit when its mask is 1, for a head that is linear in the
/// reconstructed activations (sum_k U_k B_k at each position):
///
///   z_k = sum_j U_jk <B_k, w_j>
///
/// scores      U, (samples * J) x K: positions of a sample follow each other
/// bank        B, K x D
/// weight      J x D: the logit's weights on each position (a mean over positions: w / J each)
/// returns     samples x K
/// throws      std::invalid_argument: shapes do not fit
Matrix concept_contributions(const MatrixRef& scores, const MatrixRef& bank,
                             const MatrixRef& weight);

}  // namespace conoscope::methods
