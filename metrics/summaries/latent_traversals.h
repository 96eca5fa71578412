// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/summaries/summary.h"

namespace conoscope::metrics::declare {

/// What does a latent change in the image? What the model's decoder makes of codes, as images of 32 x 32
/// pixels.
///
///   latent      the one that is moved, the others as the sample has them; NaN: none, which is the
///               sample's reconstruction
///   step, value 0 ... 6, and the latent's code there, evenly spaced from its 2 % to its 98 % quantile over
///               all samples; of a reconstruction its place
///   pixel_p     from the smallest to the largest value of all test images; see packed_pixels()
///
/// The 6 latents whose codes vary most, moved in the first sample, and 7 samples that are
/// reconstructed, evenly spaced.
///
/// throws  NotApplicable: no decoder, images of other than one or three channels;
///         std::invalid_argument: an answer that is no images
///
/// Source: ours; traversals as in Higgins et al., ICLR 2017.
Summary latent_traversals();

}  // namespace conoscope::metrics::declare
