// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/summaries/summary.h"

namespace conoscope::metrics::declare {

/// What does a concept respond to? Its share, range and importance, and the samples of the test split
/// in which it is strongest.
///
///   share       of the samples, of which its score is above 0
///   low, high   its extreme scores over all samples
///   importance  of an explanation: that of the output it belongs to, or, where outputs share concepts,
///               of the output for which it is largest in size; else NaN, as output
///   rank        0 ... 7, the strongest sample first; NaN: the one in which the concept is weakest
///   row_r       where in the sample it fires, as a share of the concept's strongest position among its
///               samples here; see packed_positions()
///
/// At most 24 concepts: of an explanation the most important, of outputs with concepts of their own
/// each output's in turn; else the first. None whose score is the same in every sample: these are
/// counted. Of vectors, by their probabilities.
///
/// Source: ours.
Summary concept_cards();

}  // namespace conoscope::metrics::declare
