// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/SparseCore>
#include <functional>

#include "numerics/types.h"

namespace conoscope::numerics {

using SparseMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

struct SelfRepresentationOptions {
  double gamma = 50.0;       ///< how far below the penalty at which a row uses no other; > 1
  double tolerance = 1e-10;  ///< largest breach of the optimality conditions, see below
  /// Called with the share of rows done; may throw to stop.
  std::function<void(double)> progress = [](double) {};
};

struct SelfRepresentation {
  SparseMatrix coefficients;  ///< N x N, diagonal empty: row i is c_i
  Vector alpha;               ///< N: a_i
  Vector objective;           ///< N: the minimum reached
  Vector l1;                  ///< N: |c_i|_1
  double breach = 0.0;        ///< largest breach of the optimality conditions met in the end
};

/// Which few other rows add up to a row? (the self-representation of sparse subspace clustering)
///
///   c_i = argmin_{c, c_i = 0} 0.5 |x_i - c X|^2 + a_i |c|_1
///   a_i = m_i / gamma,  m_i = max_{j != i} |<x_i, x_j>|
///
/// Every row is solved until, with r = x_i - c X, for ALL j != i
///   c_j = 0:  |<r, x_j>| <= a_i + tolerance m_i
///   c_j != 0: |<r, x_j> - a_i sign(c_j)| <= tolerance m_i
/// The solver is an active set on the sign pattern (each step solves the support exactly, by a
/// Cholesky factor, and stops where a coefficient would change sign). It looks at the 100 rows of
/// largest |<x_i, x_j>| first, then at the residual's products with all rows, and goes on with
/// those that breach. These products are taken in float in blocks, never N x N at once; each that
/// float's rounding could have hidden is taken again in double, so the conditions hold in double.
///
/// A row that is orthogonal to all others (m_i = 0), a zero row too, has c_i = 0, a_i = 0. The
/// minimum is unique; where rows depend on each other c may not be.
///
/// x           N x D, finite; rows of unit norm in MCD, which is not asked for here
/// throws      std::invalid_argument: x empty or not finite; gamma <= 1 or not finite; tolerance
///             outside (0, 1)
///             std::domain_error: a row did not settle
///
/// Source: You, Li, Robinson & Vidal, Oracle based active set algorithm for scalable elastic net
/// subspace clustering, CVPR 2016 (growth of the support); Lee, Battle, Raina & Ng, Efficient
/// sparse coding algorithms, NIPS 2006 (sign pattern). Elhamifar & Vidal, TPAMI 35(11), 2013.
SelfRepresentation sparse_self_representation(const MatrixRef& x,
                                              const SelfRepresentationOptions& options = {});

/// Which rows are well represented by others: those with |c_i|_1 <= the quantile of all |c|_1
/// (interpolated linearly between order statistics).
///
/// quantile    in (0, 1]; 1 keeps all
/// returns     row numbers, ascending
/// throws      std::invalid_argument: l1 empty or not finite; quantile outside (0, 1]
///
/// Source: Vielhaben, Bluecher & Strodthoff, Multi-dimensional concept discovery (MCD), TMLR 2023.
std::vector<Index> rows_within_quantile(const VectorRef& l1, double quantile);

}  // namespace conoscope::numerics
