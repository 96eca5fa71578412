// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "numerics/types.h"

namespace conoscope::numerics {

struct Eigenpairs {
  Vector values;            ///< descending
  Eigen::MatrixXd vectors;  ///< N x k, orthonormal columns
};

/// What are the k largest eigenvalues of a positive semi-definite matrix, and their vectors?
///
/// Where k is small beside N: Lanczos' method with full reorthogonalisation from a fixed start,
/// until
///
///   |A v - lambda v| <= tolerance lambda_1      for each of the k
///
/// and then a proof that none has been missed: with these k removed, lambda_k I - A has a Cholesky
/// factorisation, so that no other eigenvalue is larger than the k-th. Where the values lie too
/// close together for N / 2 steps, where one is repeated, or the rank is below k: a full
/// decomposition.
///
/// lower       A, N x N, positive semi-definite; only its lower triangle is read
/// k           1 <= k <= N
/// tolerance   at least the rounding of a double, 2^-52
/// returns     nothing where the full decomposition does not converge (entries not finite)
///
/// Source: Golub & Van Loan, Matrix Computations, sections 10.1 and 10.3.
std::optional<Eigenpairs> leading_eigenpairs(const Eigen::MatrixXd& lower, Index k,
                                             double tolerance = 0x1p-52);

}  // namespace conoscope::numerics
