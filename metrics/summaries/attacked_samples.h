// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/summaries/summary.h"

namespace conoscope::metrics::declare {

/// What does a change of the input that the model does not notice do to an explanation? The attack of
/// attack_input_concept() on single samples, before and after.
///
///   output               the class that the model predicts; label: the sample's
///   logit, moved_logit   the model's there; surrogate_logit, moved_surrogate_logit: bias and contributions
///   change, by_noise     |z(x + d) - z(x)|, and what noise of the same size makes it in the mean
///   epsilon              the size of the change, as a share of the range of all inputs
///   concept_t            of the 6 contributions that change most, the largest change first;
///   before_t, after_t    the contribution. NaN: there are fewer
///   rest_before, rest_after   the sum of all others
///   moved_pixel_p        x + d, from the smallest to the largest value of all test images
///   difference_pixel_p   d, from -epsilon to epsilon; see packed_pixels()
///
/// At most 4 samples, evenly spaced; of images of one or three channels.
///
/// throws  as attack_input_concept(); NotApplicable: other images
///
/// Source: ours, after Brown and Kvinge, arXiv 2110.07120.
Summary attacked_samples();

}  // namespace conoscope::metrics::declare
