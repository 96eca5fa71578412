// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/summaries/summary.h"

namespace conoscope::metrics::declare {

/// Where do a model and its surrogate agree? The logit of the output that the model answers, and what
/// the surrogate makes of it.
///
///   output            the model's largest logit;  surrogate_output: the surrogate's
///   logit, surrogate_logit   the model's and the surrogate's, of `output`
///
/// At most 300 samples, evenly spaced over the test split. See surf_surrogate().
///
/// Source: Kumar and Ahuja, arXiv 2504.10833 (SURF), Eq. 3; the picture is ours.
Summary surrogate_logits();

/// How much does each concept count for each output?
///
///   concept  where outputs have concepts of their own, the place of a concept among its output's, the
///            most important first; where they share them, the concept
///
/// At most 12 outputs, evenly spaced, and 12 concepts, the most important for any output.
///
/// Source: ours.
Summary concept_importances();

}  // namespace conoscope::metrics::declare
