// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "numerics/random.h"
#include "numerics/types.h"

namespace conoscope::numerics {

enum class NmfSolver {
  kCoordinateDescent,     ///< "cd": Hsieh & Dhillon's cyclic coordinate descent (HALS)
  kMultiplicativeUpdate,  ///< "mu": Lee & Seung's updates
};

enum class NmfInit {
  kAutomatic,  ///< kNndsvda where K <= min(N, D), else kRandom
  kNndsvda,    ///< kNndsvd, its zeros replaced by the mean of X
  kNndsvd,     ///< non-negative double SVD
  kRandom,     ///< |normal| * sqrt(mean(X) / K), H first
};

/// The defaults of scikit-learn 1.2.
struct NmfOptions {
  NmfSolver solver = NmfSolver::kCoordinateDescent;
  NmfInit init = NmfInit::kAutomatic;
  int max_iter = 200;
  double tol = 1e-4;
  double alpha_w = 0.0;                ///< penalty on W, scaled by the number of features
  std::optional<double> alpha_h = {};  ///< penalty on H, scaled by that of rows; none: alpha_w
  double l1_ratio = 0.0;               ///< 0: all of it squared, 1: all of it absolute
};

template <typename T>
struct NmfFactors {
  RowMajor<T> w;  ///< N x K, >= 0
  RowMajor<T> h;  ///< K x D, >= 0
};

template <typename T>
struct NmfResult {
  RowMajor<T> w;       ///< N x K, >= 0
  RowMajor<T> h;       ///< K x D, >= 0
  double error = 0.0;  ///< |X - W H|, Frobenius, without penalties; double for float rows too
  int iterations = 0;
  bool converged = false;  ///< the tolerance was reached; false: max_iter was
};

/// Which K non-negative parts, mixed with non-negative weights, rebuild the rows? (Frobenius NMF)
///
///   min 0.5 |X - W H|^2 + D alpha_w (r |W|_1 + (1-r)/2 |W|^2)
///                       + N alpha_h (r |H|_1 + (1-r)/2 |H|^2)
///
/// with r = l1_ratio. Each iteration updates all of W, then all of H.
///   cd   one sweep over the columns k in order: W_k <- max(0, W_k - (W G_k - (X H^T)_k) / G_kk),
///        G = H H^T; stops when the summed |projected gradient| met in an iteration is at most tol
///        times that of the first
///   mu   W <- W o (X H^T) / (W G + penalties), a denominator of 0 counting as 2^-23; stops when,
///        every 10 iterations, |X - W H| has dropped by less than tol times its value at the start
/// (tol 0: never stops early, but cd at a gradient of exactly 0 does.)
///
/// Float rows are factored in float, with inner products over rows, stopping rule and error in
/// double.
///
/// x           N x D, finite, >= 0
/// k           >= 1
/// seed        kRandom only
/// throws      std::invalid_argument: x empty, not finite or negative (row, column and value are
///             named); k < 1; k > min(N, D) with kNndsvd or kNndsvda; max_iter < 1; tol, alpha_w or
///             alpha_h negative or not finite; l1_ratio outside [0, 1]
///
/// Source: Lee & Seung, NIPS 2000 (mu); Cichocki & Phan, IEICE E92-A(3), 2009, and Hsieh & Dhillon,
/// KDD 2011 (cd). Semantics of scikit-learn 1.2, whose nndsvd takes a randomised SVD: see
/// nmf_initialise.
NmfResult<double> nmf(const MatrixRef& x, Index k, Seed seed, const NmfOptions& options = {});
NmfResult<float> nmf(const MatrixRefF& x, Index k, Seed seed, const NmfOptions& options = {});

/// As nmf, from given factors; options.init is not looked at.
///
/// w0, h0      N x K and K x D, finite, >= 0
/// throws      as nmf; std::invalid_argument: w0 or h0 not finite or negative, or shapes do not fit
NmfResult<double> nmf_from(const MatrixRef& x, const MatrixRef& w0, const MatrixRef& h0,
                           const NmfOptions& options = {});
NmfResult<float> nmf_from(const MatrixRefF& x, const MatrixRefF& w0, const MatrixRefF& h0,
                          const NmfOptions& options = {});

/// The first factors. nndsvd: of each singular triplet the half (positive or negative parts of u
/// and v) with the larger product of norms, scaled by the root of singular value times that
/// product; entries below 1e-6 become 0. Deterministic: the SVD is truncated_svd's, where
/// scikit-learn draws a randomised one, so later triplets differ from its by the error of that.
///
/// throws      as nmf
/// Source: Boutsidis & Gallopoulos, Pattern Recognition 41(4), 2008.
NmfFactors<double> nmf_initialise(const MatrixRef& x, Index k, NmfInit init, Seed seed);
NmfFactors<float> nmf_initialise(const MatrixRefF& x, Index k, NmfInit init, Seed seed);

/// The weights W of rows for parts H that stay fixed, by the same updates and penalties on W.
///
/// cd starts at 0, mu at sqrt(mean(X) / K). Both stop by a rule over ALL rows, so a row's weights
/// depend on its batch, by about 1e-3 at the default tolerance: nnls() gives the exact ones.
///
/// x           N x D, finite, >= 0
/// h           K x D, finite, >= 0
/// returns     N x K, >= 0
/// throws      std::invalid_argument: as nmf for x and options; h not finite or negative; widths
///             differ
Matrix nmf_transform(const MatrixRef& x, const MatrixRef& h, const NmfOptions& options = {});
MatrixF nmf_transform(const MatrixRefF& x, const MatrixRefF& h, const NmfOptions& options = {});

/// |X - W H| (Frobenius), from the residuals themselves.
///
/// throws      std::invalid_argument: shapes do not fit
double frobenius_error(const MatrixRef& x, const MatrixRef& w, const MatrixRef& h);
double frobenius_error(const MatrixRefF& x, const MatrixRefF& w, const MatrixRefF& h);

}  // namespace conoscope::numerics
