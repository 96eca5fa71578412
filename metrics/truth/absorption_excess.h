// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/metric.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// Of each feature with children: how much more often its latents are silent where a child is
/// active.
struct AbsorptionExcess {
  IndexVector parents;  ///< features with children, ascending
  Vector excess;        ///< of each; NaN: no latent, or one of the two kinds of rows is missing
};

/// Is a feature missed where one of its children is active?
///
///   P(none of its latents fires | it and a child are active)
///   - P(none of its latents fires | it is active, no child is)
///
/// A latent that has absorbed its parent (it fires for the child, and its atom holds the parent's
/// direction, too) spares the parent's own latent these rows.
///
/// codes        f, n x K: fires where > 0.   activations  a, n x N: active where > 0
/// parent       N: features, -1: none.   truth_of  K: the feature that a latent stands for; -1:
///              none
/// returns      each in [-1, 1]; 0: the truth itself, a random code, too
/// throws       std::invalid_argument: shapes that differ, a parent or feature that is none, not
///              finite
///
/// The score is the mean over parents. Of a subject truth_of is the partner of truth_mcc, and of a
/// latent without one the closest truth: an atom that has absorbed its parent is often closer to
/// that than to its own feature, and would hide what it does as a second latent of its parent.
///
/// Source: ours; absorption: Chanin et al., arXiv 2409.14507.
AbsorptionExcess absorption_excess(const MatrixRef& codes, const MatrixRefF& activations,
                                   const IndexVector& parent, const IndexVector& truth_of);

/// Of a subject: which feature each latent stands for, as above. throws as learnt_features
IndexVector features_of_latents(const Subject& subject);

namespace declare {
std::vector<Metric> absorption_excess();
}  // namespace declare

}  // namespace conoscope::metrics
