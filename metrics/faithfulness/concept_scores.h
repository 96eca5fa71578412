// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/faithfulness/explained_head.h"
#include "metrics/views.h"

namespace conoscope::metrics {

/// How strongly does each sample hold each concept of an explanation? All its concept scores, as
/// one representation that can be judged like the codes of an encoder or the units of a bottleneck.
///
///   class-agnostic: psi(h; V);  class-specific: psi(h; V_0), psi(h; V_1), ... side by side
///
/// head         below average pooling h is the pooled embedding; not a flattened head
/// explanation  with at least one concept
/// returns      n x M: M = K, or the sum of K_c over the outputs, in the order of the CAVs
/// throws       std::invalid_argument: as ExplainedHead; a flattened head, whose concepts differ by
///              position; no concept at all
Matrix concept_scores(const ExplainedHead& of);
Matrix concept_scores(const HeadView& head, const Explanation& explanation);

}  // namespace conoscope::metrics
