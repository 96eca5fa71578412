// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "metrics/faithfulness/attack/contribution_change.h"
#include "metrics/faithfulness/attack/silent_moves.h"
#include "metrics/faithfulness/explained_head.h"
#include "metrics/types.h"

namespace conoscope::metrics {

struct AttackOptions {
  double share = 0.05;  ///< epsilon, of the mean |h|
  Index noise = 16;     ///< draws of noise for each sample
  Index steps = 64;     ///< of the search
  Index samples = 200;  ///< at most; of more, as many at equal distances
};

/// The largest change by a silent move in closed form. cavs: diag(alpha) V_c.
using LargestChange = double (*)(const Matrix& weighed_cavs, const SilentMoves::Space& space,
                                 double epsilon);

/// The worst silent move of each sample, beside noise of its size. caveat: how many samples have none.
///
/// Samples whose class has fewer than `fewest` concepts are left out.
///
/// Where there is no closed form, or psi is not linear, the worst move is searched for: the best of
/// `noise` random silent ones, and of `steps` random changes of it, from far to near.
///
/// throws   std::invalid_argument: psi; std::domain_error: every activation is 0, no sample is left
AttackedSamples attack(const ExplainedHead& of, Index fewest, ContributionChange change,
                       LargestChange closed_form, std::uint64_t seed, const AttackOptions& options);

}  // namespace conoscope::metrics
