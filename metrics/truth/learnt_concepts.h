// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/subject.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// What an explanation has learnt, as a dictionary: of each latent its atom and its codes. Concepts
/// of a constant score (views.h) are none and have been left out.
struct LearntConcepts {
  Matrix atoms;      ///< K x D: CAVs, of class-specific explanations those of all outputs
  Matrix codes;      ///< n x K: their concept scores; a latent fires where its code is > 0
  IndexVector gaps;  ///< those left out, by their rows of the explanation's CAVs, ascending

  Index count() const { return atoms.rows(); }
  /// One number for each CAV: NaN where it was left out.
  std::vector<double> parts(const VectorRef& of_latents) const;
};

/// throws  NotApplicable: a head with other weights for each position; an explanation that keeps
///         its CAVs to itself, or in which nothing is left
///         std::invalid_argument: as ExplainedHead; constant marks of another number than CAVs
LearntConcepts learnt_concepts(const Subject& subject);

/// The same, of a subject whose features are known and who is shown them: the layer is the world
/// itself.
///
///   h = sum_i a_i d_i + a constant,   looked at in the first rows
///
/// throws  as learnt_concepts; NotApplicable: the layer has another width, or is another space (a
///         network's hidden layer), in which the true directions mean nothing
///         std::invalid_argument: a truth of other rows, no feature, parents that are none, an
///         activation that is negative or not finite, a direction whose length is not 1
LearntConcepts learnt_features(const Subject& subject);

}  // namespace conoscope::metrics
