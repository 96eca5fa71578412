// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/stability/concept_matching.h"
#include "metrics/subject.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// Which learnt atom is which true direction?
struct TruthMatching {
  Matrix similarity;  ///< K x N: |cos(w_j, d_i)|; signed: cos(w_j, d_i)
  IndexVector
      closest;  ///< of each latent the truth that it is most similar to, the first of equals
  std::vector<Match>
      pairs;  ///< min(K, N) pairs of a latent (a) and a truth (b) whose similarities have the
              ///< largest sum; ordered by the smaller set

  Index latents() const { return similarity.rows(); }
  Index truths() const { return similarity.cols(); }
};

/// Lengths are bounded below by 1e-8: an atom of 0 is similar to nothing, by 0.
///
/// atoms       w, K x D.   directions  d, N x D; K, N >= 1, finite
/// throws      std::invalid_argument: empty, widths that differ, an entry not finite
///
/// K N D for the cosines and min(K, N)^2 max(K, N) at most for the pairs; 256 latents and 1,024
/// truths take some 30 ms.
///
/// Source: SynthSAEBench, arXiv 2602.14687.
TruthMatching truth_matching(const MatrixRef& atoms, const MatrixRef& directions);
TruthMatching truth_matching_signed(const MatrixRef& atoms, const MatrixRef& directions);

// Of a subject, each derived once: subject.once(matching_of). throws as learnt_features
TruthMatching matching_of(const Subject& subject);
TruthMatching signed_matching_of(const Subject& subject);

}  // namespace conoscope::metrics
