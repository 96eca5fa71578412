// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/svd.h"

namespace conoscope::numerics {

/// Which directions do the rows vary in? (a concept of MCD: a subspace, not one direction)
///
/// Leading components of the centred PCA, as many as lpca_dimension says. The mean is not part of
/// the basis: the subspace goes through the origin.
///
/// rows          n x D, finite
/// max_dimension 0: as the rule says; else at most so many
/// returns       d x D, orthonormal rows; 0 x D for one row, or rows that do not differ
///               (beyond rounding: s_1 <= 16 eps |X|)
/// throws        std::invalid_argument: rows empty or not finite; threshold outside (0, 1);
///               max_dimension < 0
///
/// Source: Vielhaben, Bluecher & Strodthoff, MCD, TMLR 2023.
Matrix subspace_basis(const MatrixRef& rows, DimensionRule rule, double threshold,
                      Index max_dimension = 0);

/// How do rows split over the vectors of all subspaces together?
///
///   p = (C^T)^+ h,   h = C^T p + h_perp
///
/// C holds the bases of all subspaces, one below the other. Vectors of different subspaces need
/// not be orthogonal, so p is not <h, v>. Where C's rows depend on each other (more vectors than
/// dimensions, subspaces that meet) p is the shortest solution; C^T p is the projection of h onto
/// their union either way.
///
/// rows        n x D, finite
/// bases       K x D, finite, K >= 0
/// returns     n x K
/// throws      std::invalid_argument: rows empty; not finite; widths differ
Matrix subspace_coefficients(const MatrixRef& rows, const MatrixRef& bases);

struct SubspaceRelevance {
  Matrix local;   ///< n x (L + 1): <w, h^l>; the last is the complement's. A row sums to <w, h>
  Vector global;  ///< L + 1: |w^l| / |w|; the last is the complement's
  double completeness = 0.0;  ///< |P w| / |w|, the share of w within all subspaces
};

/// How much does each subspace matter to an output with weights w?
///
/// rows        n x D, finite
/// weight      w, D
/// bases       K x D, as for subspace_coefficients
/// dimensions  how many rows of bases belong to each of the L subspaces; sums to K
/// throws      std::invalid_argument: as subspace_coefficients; dimensions negative or of another
///             sum
///             std::domain_error: w is 0
///
/// Source: Vielhaben, Bluecher & Strodthoff, MCD, TMLR 2023. HU-MCD squares the global relevance.
SubspaceRelevance subspace_relevance(const MatrixRef& rows, const VectorRef& weight,
                                     const MatrixRef& bases, const std::vector<Index>& dimensions);

}  // namespace conoscope::numerics
