#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "metrics/faithfulness/attack/silent_moves.h"
#include "metrics/faithfulness/explained_head.h"
#include "metrics/metric.h"
#include "metrics/types.h"

namespace conoscope::metrics {

struct AttackOptions {
  double share = 0.05;  ///< epsilon, of the mean |h|
  Index noise = 16;     ///< draws of noise for each sample
  Index steps = 64;     ///< of the search
  Index samples = 200;  ///< at most; of more, as many at equal distances
};

/// What moves of one size do to the explanation of each sample: noise, and the worst silent move.
struct AttackedSamples {
  Vector by_noise;     ///< mean over the draws
  Vector by_attack;    ///< 0 where no move is silent
  std::string caveat;  ///< how many of those there are; may be empty

  Index samples() const { return by_noise.size(); }
};

/// How far a sample's contributions z = (alpha_k psi(h; V_c)_k)_k, c the class that the model predicts,
/// are from others, which are rows.
using ContributionChange = Vector (*)(const Vector& z, const Matrix& others);
/// The largest change by a silent move in closed form. cavs: diag(alpha) V_c.
using LargestChange = double (*)(const Matrix& weighed_cavs, const SilentMoves::Space& space,
                                 double epsilon);

/// Samples whose class has fewer than `fewest` concepts are left out.
///
/// Where there is no closed form, or psi is not linear, the worst move is searched for: the best of
/// `noise` random silent ones, and of `steps` random changes of it, from far to near.
///
/// throws   std::invalid_argument: psi; std::domain_error: every activation is 0, no sample is left
AttackedSamples attack(const ExplainedHead& of, Index fewest, ContributionChange change,
                       LargestChange closed_form, std::uint64_t seed, const AttackOptions& options);

}  // namespace conoscope::metrics
