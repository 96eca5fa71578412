// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "metrics/views.h"

// An image small enough for a summary: 32 x 32 pixels.

namespace conoscope::metrics {

/// name_0 ... name_511, as a summary's columns.
std::vector<std::string> pixel_columns(const std::string& name);

/// What is black, and what is white.
struct PixelRange {
  double low = 0.0, high = 0.0;
};

/// The smallest and the largest value of all images.
PixelRange range_of(const ImageView& images);

/// Two pixels of 8 bits a colour in a number, row after row: 2^24 (65536 r + 256 g + b) of the first,
/// and the same of the second. Images of other sizes are scaled by areas.
///
/// image   H x W x C numbers, as `of` has them
/// throws  NotApplicable: other than one or three channels
std::vector<double> packed_pixels(const VectorRef& image, const ImageView& of,
                                  const PixelRange& range);

}  // namespace conoscope::metrics
