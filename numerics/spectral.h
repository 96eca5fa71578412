// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/kmeans.h"
#include "numerics/self_representation.h"

namespace conoscope::numerics {

/// How strongly are two rows tied by their self-representation?
///
///   A = 0.5 (|C'| + |C'|^T),   C' = C with rows of Euclidean norm 1 (a zero row stays zero)
///
/// coefficients  N x N, finite
/// returns       N x N, symmetric, >= 0
/// throws        std::invalid_argument: empty, not square, or not finite
///
/// Source: You, Li, Robinson & Vidal, CVPR 2016.
SparseMatrix affinity_of(const SparseMatrix& coefficients);

struct SpectralEmbedding {
  Vector eigenvalues;     ///< L, descending, in [-1, 1]
  Matrix vectors;         ///< N x L, orthonormal columns
  double residual = 0.0;  ///< largest |M v - lambda v|
  bool converged = true;  ///< residual <= 1e-8
};

/// The leading eigenvectors of M = D^-1/2 A D^-1/2, D the row sums of A (a row whose sum is 0 stays
/// 0 in M).
///
/// Up to 512 rows by a dense solver; above by subspace iteration with L + max(L, 10) vectors,
/// filtered by a Chebyshev polynomial that damps what lies below the last of them, which finds
/// eigenvalues of any multiplicity up to L (a graph of L components has the eigenvalue 1 L times).
/// Vectors are fixed up to sign, within equal eigenvalues up to a rotation.
///
/// affinity    N x N, symmetric, finite, >= 0
/// count       L, 1 ... N
/// seed        of the first vectors
/// most_filters  above 512 rows, how often the polynomial is applied at most
/// throws      std::invalid_argument: not square, negative, not finite, not symmetric; L outside
///             its range
///
/// Source: Ng, Jordan & Weiss, On spectral clustering, NIPS 2001; Zhou, Saad, Tiago & Chelikowsky,
/// J. Comput. Phys. 219, 2006 (filter).
SpectralEmbedding spectral_embedding(const SparseMatrix& affinity, Index count, Seed seed,
                                     int most_filters = 300);

/// Which rows hang together? K-Means (20 starts) on the leading eigenvectors of spectral_embedding,
/// rows scaled to norm 1 (a zero row stays zero).
///
/// returns     N labels in 0 ... clusters - 1; a cluster may be empty where rows coincide
/// throws      as spectral_embedding; std::domain_error: the eigenvectors did not converge
std::vector<Index> spectral_clustering(const SparseMatrix& affinity, Index clusters, Seed seed,
                                       int most_filters = 300);

}  // namespace conoscope::numerics
