// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/faithfulness/attack/contribution_change.h"
#include "metrics/faithfulness/explained_head.h"
#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

struct InputAttackOptions {
  double share = 0.02;  ///< epsilon, of the range of the inputs
  Index noise = 16;     ///< draws of noise for each sample
  Index steps = 60;  ///< of projected gradient; of random search twice as many, which cost as much
  Index samples = 50;  ///< at most; of more, as many at equal distances
};

/// What an attack is after.
struct AttackAim {
  Index fewest;  ///< concepts of a class; samples of other classes are left out
  ContributionChange change;
  /// Where to z' should go for more of it. noise: |z - z'| under noise in the mean, above 0.
  Vector (*ascent)(const Vector& z, const Vector& moved, double noise);
};

/// As AttackedSamples, with the samples themselves: S of them, a row each.
struct AttackedInputs : AttackedSamples {
  IndexVector rows;                ///< their numbers
  IndexVector outputs;             ///< the class that the model predicts
  Matrix pixels, moved_pixels;     ///< before and after the worst change that was found
  Matrix logits, moved_logits;     ///< S x C
  std::vector<Vector> z, moved_z;  ///< contributions to the predicted class, K_c
  double epsilon = 0.0;
};

/// How far can a small change of a sample's input that the model does not notice move its explanation?
///
///   |d_j| <= epsilon, x + d within the range of the inputs          epsilon = share * (max - min)
///   |y_c(x + d) - y_c(x)| <= r_c      for every output c
///   r_c = mean_u |y_c(x + u) - y_c(x)|, u of random signs times epsilon, cut off at the same range;
///         half of what lies between y_c and the predicted class's logit (of that class: and the next
///         one), where that is less
///
/// max and min are those of all inputs of the head view's samples. So the answer stays: no logit moves
/// further than noise of the same size moves it, no other class overtakes the predicted one, and a probability
/// changes by a factor of exp(2 max_c r_c) at most.
///
/// The largest change is searched for, so what is found is a lower bound: where the model gives a
/// gradient and psi is linear, by projected gradient (steps of sign, with a multiplier for each bound on
/// a logit); else by random search (random signs, then random changes of the best of them, of fewer
/// and fewer pixels), which a caveat says. What is beyond a bound is drawn back to the sample once, as far
/// as it would take if the model were linear, and counts only if it is within then.
///
/// throws   std::invalid_argument: images that do not fit the head; what the model or psi answers has
///          another shape or is not finite; a share that is not above 0
///          std::domain_error: every input is the same number; no sample is left
AttackedInputs attack_inputs(const ExplainedHead& of, const ImageView& images, const AttackAim& aim,
                             std::uint64_t seed, const InputAttackOptions& options);

}  // namespace conoscope::metrics
