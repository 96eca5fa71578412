// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/metric.h"
#include "metrics/truth/truth_matching.h"

namespace conoscope::metrics {

// Has a dictionary found the features of a world that is known? Learnt atoms and true directions
// are matched one to one (truth_matching.h). Of all these, codes play no part: they do not see a
// dictionary whose atoms are paired with other latents' codes (truth_f1 does), nor scales.

/// How similar are atoms to the true directions that they are matched with?
///
///   MCC = sum over matched pairs of |cos(w_j, d_i)| / min(K, N)
///
/// The paper's number: what the larger set has beyond the smaller one costs nothing, so 10 atoms
/// that are right score 1 in a world of 1,000 features. Of truth_matching_signed() it is
/// truth_mcc_signed.
///
/// returns  [0, 1], signed [-1, 1]; 1: every atom, or every truth, has its own. Random atoms do not
///          score 0: each finds the best of many (0.30 with 256 of 1,024 in 128 dimensions).
///
/// Source: SynthSAEBench, arXiv 2602.14687. Between two dictionaries it is the PW-MCC of
/// arXiv 2505.20254, whose code takes signed cosines.
double truth_mcc(const TruthMatching& matching);

/// How similar, where an atom or a truth without a partner counts as 0?   The sum / max(K, N), as in
/// stability.
double truth_mcc_two_sided(const TruthMatching& matching);

/// How similar is each true direction to the most similar atom?   mean_i max_j |cos(w_j, d_i)|
///
/// returns  [0, 1]; several truths may share an atom
double truth_coverage(const TruthMatching& matching);

/// What share of the true directions has an atom that is nearly the same?
///
///   |{i : max_j s_ji >= 0.8}| / N
///
/// Of truth_matching_signed() it is truth_recovered_signed, as in arXiv 2602.14111.
double truth_recovered(const TruthMatching& matching);
inline constexpr double kRecovered = 0.8;

namespace declare {
/// truth_mcc, truth_mcc_signed, truth_mcc_two_sided, truth_coverage, truth_recovered,
/// truth_recovered_signed.
std::vector<Metric> truth_mcc();
}  // namespace declare

}  // namespace conoscope::metrics
