// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "numerics/types.h"
#include "results/analysis/reliable_difference.h"

namespace conoscope::results {

/// Of what do scores differ: of the things that are scored, or of their seeds?
struct OneWayComponents {
  double ms_within = 0, ms_between = 0;    ///< mean squares
  double var_within = 0, var_between = 0;  ///< components; var_between is cut at 0
  double share_between =
      0;  ///< var_between / (var_within + var_between): the intraclass correlation
};

/// Components of a one-way random-effects model, by moments.
///
///   MS_within  = sum_l (n_l - 1) sd_l^2 / (N - k),   MS_between = sum_l n_l (mean_l - mean)^2 / (k - 1)
///   var_within = MS_within,   var_between = max(0, (MS_between - MS_within) / n_0)
///   n_0 = (N - sum_l n_l^2 / N) / (k - 1), which is n where all n_l are n
///
/// things   k >= 2 with a score or more each; mean is over all N scores
/// throws   std::invalid_argument: fewer than two things, one without a score, or none with two
///          std::domain_error: all scores are equal
///
/// Source: Searle, Casella & McCulloch, Variance Components, 1992, section 3.6.
OneWayComponents one_way_components(std::span<const Scores> things);

/// The same question for scores of several snapshots of a training, as shares of their sum.
struct VarianceShares {
  double variant = 0, seed = 0, snapshot = 0;
};

/// variant:  Var_v(mean_{s,t}),   seed:  mean_v Var_s(mean_t),   snapshot:  mean_{v,s} Var_t,
/// all divided by their number, not by one less.
///
/// scores   one matrix for each variant v, seeds s x snapshots t
/// throws   std::invalid_argument: no variant, shapes that differ, an entry not finite
///          std::domain_error: all scores are equal
///
/// Noise adds to the first share too, which is no intraclass correlation: see one_way_components().
/// Source: arXiv 2605.18229.
VarianceShares variance_shares(const std::vector<numerics::Matrix>& scores);

}  // namespace conoscope::results
