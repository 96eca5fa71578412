// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "metrics/subject.h"
#include "metrics/types.h"

// Which concepts, samples and values a summary shows, so that it stays small.

namespace conoscope::metrics {

/// At most so many of 0 ... count - 1, evenly spaced, the first among them.
IndexVector evenly(Index count, Index most);

/// The concepts with the largest importance in size first; outputs with concepts of their own take
/// turns. output: of each concept; empty: all outputs share them.
IndexVector most_important_first(const VectorRef& importance, const IndexVector& output);

/// "the first 12 of 40 concepts"; empty: all are shown.
std::string shown_of(Index shown, Index all, const char* what);

/// A number for each concept and sample: the scores, or the probabilities of concepts that are vectors.
/// throws  NotApplicable: there are none; std::invalid_argument: one is not finite
const Matrix& scalar_scores(const char* summary, const Subject& subject);

/// The annotated concepts, where the view's stand for them one by one; else null.
const Matrix* truth_of(const Subject& subject);

/// NaN: not annotated.
double label_of(const Subject& subject, Index sample);

}  // namespace conoscope::metrics
