// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/summaries/summary.h"

namespace conoscope::metrics::declare {

/// What becomes of an explainer's concepts with other seeds? Each beside the one that it is matched with.
///
///   output, concept   as in concept_cards; of a subspace its first CAV. importance: its size, where
///                     outputs share concepts the largest of them
///   seed              of the cell that it is compared with: the first two others
///   other, other_importance, similarity
///                     what it is matched with there; NaN: nothing is left for it
///
/// The 24 most important concepts, each output's in turn where they have their own. Which is matched with
/// which: match_concepts().
///
/// throws  as stability()
///
/// Source: ours.
Summary matched_concepts();

}  // namespace conoscope::metrics::declare
