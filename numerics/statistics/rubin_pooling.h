// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "numerics/types.h"

namespace conoscope::numerics {

/// M estimates of one quantity, each with its own sampling variance, made into one.
struct RubinPooling {
  Index draws = 0;         ///< M
  double mean = 0.0;       ///< of the estimates
  double within = 0.0;     ///< U: mean sampling variance
  double between = 0.0;    ///< B: variance of the estimates, divided by M - 1
  double total = 0.0;      ///< T = U + (1 + 1/M) B
  double t = 0.0;          ///< mean / sqrt(T)
  double dof_large = 0.0;  ///< Rubin's, for large samples; inf where B = 0
  double p_large = 1.0;    ///< two-sided, with dof_large
  double dof = 0.0;        ///< Barnard and Rubin's, never above the complete data's
  double p = 1.0;          ///< two-sided, with dof
};

/// What do M estimates say together, each of which is uncertain by itself?
///
///   r         = (1 + 1/M) B / U,   lambda = (1 + 1/M) B / T
///   dof_large = (M - 1) (1 + 1/r)^2
///   dof_obs   = (v + 1)/(v + 3) v (1 - lambda),   v = complete_dof
///   dof       = 1 / (1/dof_large + 1/dof_obs)
///
/// estimates     M >= 2, one per draw
/// within        U > 0: their sampling variance
/// complete_dof  v > 0: degrees of freedom if nothing had to be drawn; infinity gives
///               dof = dof_large
/// throws        std::invalid_argument: M < 2, an estimate not finite, within <= 0 or
///               complete_dof <= 0
///
/// Source: Rubin, Multiple Imputation, 1987 (dof_large); Barnard & Rubin, Biometrika 1999 (dof).
RubinPooling rubin_pooling(const VectorRef& estimates, double within, double complete_dof);

struct PooledCorrelation {
  double r_mean = 0.0;  ///< mean over the draws of Pearson's r: what the paper prints
  RubinPooling z;       ///< Fisher's z = artanh r, pooled; U = 1/(n - 3), complete_dof = n - 2
};

/// Do two quantities go together, each known with an error only? Given M draws of both.
///
/// x, y     M x n: row m is draw m of the n subjects (model classes, not single models)
/// returns  z.p_large is the paper's p, z.p the one with Barnard and Rubin's degrees of freedom,
///          which the paper's code names but does not use.
/// throws   std::invalid_argument: shapes that differ, M < 2, n < 4, an entry not finite
///          std::domain_error: in some draw all x or all y are equal, or |r| = 1
///
/// Source: Parisini et al., Leakage and Interpretability in Concept-Based Models, Table 2, and its
/// code.
PooledCorrelation pooled_correlation(const MatrixRef& x, const MatrixRef& y);

struct MonteCarloOptions {
  Index draws = 10000;
  bool clip_at_zero = true;  ///< as the paper's code does, against its text: no value below 0
  std::uint64_t seed = 0;
};

/// From means and standard errors: draws x*_i ~ N(x_mean_i, x_se_i), y likewise, then
/// pooled_correlation.
///
/// x_mean, x_se, y_mean, y_se  n >= 4 each; errors >= 0
/// throws   std::invalid_argument: lengths that differ, n < 4, an entry not finite, an error below
///          0, draws < 2
///          std::domain_error: as pooled_correlation
PooledCorrelation monte_carlo_correlation(const VectorRef& x_mean, const VectorRef& x_se,
                                          const VectorRef& y_mean, const VectorRef& y_se,
                                          const MonteCarloOptions& options = {});

}  // namespace conoscope::numerics
