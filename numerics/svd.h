// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/types.h"

namespace conoscope::numerics {

enum class SvdMethod {
  kAutomatic,  ///< kExact where N D min(N, D) <= 2^26, kRitz for more than 2^32 of float rows with
               ///< k + 10 <= D <= N, else kGram
  kExact,      ///< divide and conquer on X itself: errors of about 1e-15 s_1
  kGram,       ///< leading_eigenpairs of the smaller of X^T X and X X^T: see truncated_svd
  kRitz,  ///< up to k + 9 leading directions of a X^T X whose products are float, then the exact
          ///< singular vectors of X within them: see truncated_svd
};

struct TruncatedSvd {
  Vector singular_values;     ///< k, descending
  Matrix components;          ///< k x D: right singular vectors as rows, orthonormal
  Vector mean;                ///< D: what was subtracted; empty when not centred
  Vector explained_variance;  ///< k: s^2 / (N - 1), the variance along each component; empty when
                              ///< not centred
};

/// Along which k directions do the rows extend furthest? (truncated SVD; PCA when centred)
///
///   X = U S V^T;  components = first k columns of V;  centred: of X - mean
///
/// A component's sign is arbitrary: here its entry of largest magnitude (the first of equals) is
/// positive.
///
/// kGram squares the condition number: singular values below about 1e-8 s_1 cannot be told from
/// rounding and are returned as 0, with some orthonormal completion as their components.
/// Accumulation is double for float rows too.
///
/// kRitz (float rows) multiplies blocks of 2048 rows in float, sums the blocks in double, keeps
/// k + p directions and solves for X within these in double (Rayleigh-Ritz). Singular values are
/// as exact as kGram's up to the square of the directions' error, which is about 1e-7 s_1^2 over
/// the gap s_k^2 - s_(k+p+1)^2; p is the least number from 0 to 9 that makes this gap half as wide
/// as 9 do. Where s_k < 3e-3 s_1 the error is no longer small, and kGram is taken instead.
///
/// x           N x D, finite
/// k           1 <= k <= min(N, D)
/// throws      std::invalid_argument: x empty or not finite; k outside its range; centred with
///             N < 2; kRitz with double rows, or without k + 10 <= D <= N
///
/// Source: Golub & Van Loan, Matrix Computations, section 8.6; Rayleigh-Ritz: section 8.1.
TruncatedSvd truncated_svd(const MatrixRef& x, Index k, bool centre = false,
                           SvdMethod method = SvdMethod::kAutomatic);
TruncatedSvd truncated_svd(const MatrixRefF& x, Index k, bool centre = false,
                           SvdMethod method = SvdMethod::kAutomatic);

enum class DimensionRule {
  kFukunagaOlsen,  ///< how many eigenvalues are > threshold * largest (strictly); 0.05 in MCD
  kRatio,  ///< how many of the largest it takes to hold >= threshold of their sum; 0.8 in HU-MCD
};

/// How many dimensions do these data have, judged by their PCA? (lPCA)
///
/// eigenvalues  all explained variances, descending, finite, >= 0 (unitless: only ratios matter)
/// threshold    in (0, 1)
/// returns      1 ... number of eigenvalues
/// throws       std::invalid_argument: no eigenvalue, one negative, not finite or out of order;
///              threshold outside (0, 1)
///              std::domain_error: all eigenvalues are 0
///
/// Source: Fukunaga & Olsen, IEEE Trans. Computers C-20(2), 1971; scikit-dimension's lPCA.
Index lpca_dimension(const VectorRef& eigenvalues, DimensionRule rule, double threshold);

}  // namespace conoscope::numerics
