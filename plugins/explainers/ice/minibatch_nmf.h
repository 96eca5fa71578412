// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/nmf.h"
#include "plugins/explainers/types.h"

namespace conoscope::methods {

/// The defaults of scikit-learn 1.2.
struct MiniBatchNmfOptions {
  Index batch_size = 1024;      ///< rows per step; all rows where there are fewer
  double forget_factor = 0.7;   ///< what one pass over all rows leaves of the past, in (0, 1]
  double tol = 1e-4;            ///< stop when |H's move| <= tol |H|; 0: never for that
  int max_no_improvement = 10;  ///< steps in a row without a lower smoothed cost; 0: no limit
  int max_iter = 200;           ///< passes over the rows
  numerics::NmfInit init = numerics::NmfInit::kAutomatic;
};

template <typename T>
struct MiniBatchNmfResult {
  RowMajor<T> w;           ///< N x K, >= 0: each row as its batch's last step left it
  RowMajor<T> h;           ///< K x D, >= 0
  double error = 0.0;      ///< |X - W H|, Frobenius; double for float rows too
  int steps = 0;           ///< batches looked at
  bool converged = false;  ///< by tol or max_no_improvement; false: max_iter was reached
};

/// As nmf, with the parts learnt from one batch of rows after the other (mu only, no penalties).
///
/// Batches are blocks of rows in their order, again and again. A step updates its rows' weights
/// once and lets two running sums decay by rho = forget_factor^(batch_size / N):
///
///   W <- W o (X H^T) / (W H H^T)
///   A <- rho A + H o (W^T X),   B <- rho B + W^T W H,   H <- A / B      A_0 = H_0, B_0 = 1
///
/// (a denominator of 0 counts as 2^-23). From the second step on it stops by tol, or when the
/// batches' cost |X - W H|^2 / (2 rows), smoothed with weight min(1, rows / (N + 1)), has not
/// reached a new minimum for max_no_improvement steps.
///
/// Float rows are factored in float; running sums, costs and stopping rules are double.
///
/// x           N x D, finite, >= 0
/// k           >= 1
/// seed        numerics::NmfInit::kRandom only
/// throws      std::invalid_argument: as nmf for x, k and init; batch_size or max_iter < 1;
///             forget_factor outside (0, 1]; tol negative or not finite; max_no_improvement < 0
///
/// Source: Lefevre, Bach & Fevotte, WASPAA 2011. Semantics of scikit-learn 1.2's MiniBatchNMF.
MiniBatchNmfResult<double> minibatch_nmf(const MatrixRef& x, Index k, numerics::Seed seed,
                                         const MiniBatchNmfOptions& options = {});
MiniBatchNmfResult<float> minibatch_nmf(const MatrixRefF& x, Index k, numerics::Seed seed,
                                        const MiniBatchNmfOptions& options = {});

/// As minibatch_nmf, from given factors; options.init is not looked at.
///
/// w0, h0      N x K and K x D, finite, >= 0
/// throws      as minibatch_nmf; std::invalid_argument: w0 or h0 not finite or negative, or shapes
///             do not fit
MiniBatchNmfResult<double> minibatch_nmf_from(const MatrixRef& x, const MatrixRef& w0,
                                              const MatrixRef& h0,
                                              const MiniBatchNmfOptions& options = {});
MiniBatchNmfResult<float> minibatch_nmf_from(const MatrixRefF& x, const MatrixRefF& w0,
                                             const MatrixRefF& h0,
                                             const MiniBatchNmfOptions& options = {});

/// The weights of rows for parts that stay fixed: mu from sqrt(mean(X) / K) until the weights of
/// ALL rows together move by at most tol of their norm, or max_iter updates. A row's weights
/// therefore depend on its batch; nnls() gives the exact ones.
///
/// x           N x D, finite, >= 0
/// h           K x D, finite, >= 0
/// returns     N x K, >= 0
/// throws      std::invalid_argument: as minibatch_nmf for x and options; h not finite or negative;
///             widths differ
Matrix minibatch_nmf_transform(const MatrixRef& x, const MatrixRef& h,
                               const MiniBatchNmfOptions& options = {});

}  // namespace conoscope::methods
