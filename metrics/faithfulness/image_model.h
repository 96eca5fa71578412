// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

// The model on images that were altered, for measures that alter them. Of the last layer.

/// throws  std::invalid_argument: another number of images than samples of the head, or images that
///         are not height x width x channels, with a mean for each channel
void require_images(std::string_view function, const ImageView& images, const HeadView& head);

/// The head view of m images in place of the samples.
/// throws  std::invalid_argument: the model answers with another shape
HeadView seen_by_model(std::string_view function, const ImageView& images, const HeadView& head,
                       const MatrixRef& pixels);

}  // namespace conoscope::metrics
