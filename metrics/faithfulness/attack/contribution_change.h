// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "metrics/metric.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// How far a sample's contributions z = (alpha_k psi(h; V_c)_k)_k, c the class that the model predicts,
/// are from others, which are rows.
using ContributionChange = Vector (*)(const Vector& z, const Matrix& others);

/// |z - z'|
Vector contribution_distance(const Vector& z, const Matrix& others);

/// t = (1 - rho(z, z')) / 2, rho Spearman's. 0: the same order; 1: the opposite one. A constant row has
/// no order and counts 0.
Vector turned_over(const Vector& z, const Matrix& others);

/// What moves of one size do to the explanation of each sample: noise, and the worst move of a kind.
struct AttackedSamples {
  Vector by_noise;     ///< mean over the draws
  Vector by_attack;    ///< 0 where there is no such move
  std::string caveat;  ///< may be empty

  Index samples() const { return by_noise.size(); }
};

/// Why no sample is left: "no predicted class has a concept".
std::string too_few_concepts(Index fewest);

/// sum of by_attack / sum of by_noise; parts: each sample's by_attack over the mean by_noise.
/// throws  std::domain_error: noise changes no contribution
Result times_noise(const AttackedSamples& found);

/// mean of by_attack - mean of by_noise; parts: by_attack.
Result beyond_noise(const AttackedSamples& found);

}  // namespace conoscope::metrics
