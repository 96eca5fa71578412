// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/image_model.h"

#include <string>

#include "numerics/checks.h"

namespace conoscope::metrics {

void require_images(std::string_view function, const ImageView& images, const HeadView& head) {
  const Index size = images.height * images.width * images.channels;
  if (size < 1 || images.pixels.rows() != head.samples() || images.pixels.cols() != size ||
      images.mean.size() != images.channels)
    numerics::refuse(function, "images " + numerics::shape_of(images.pixels) + " of " +
                                   std::to_string(images.height) + " x " +
                                   std::to_string(images.width) + " x " +
                                   std::to_string(images.channels) + " with a mean of " +
                                   std::to_string(images.mean.size()) + " do not fit a head of " +
                                   std::to_string(head.samples()) + " samples");
}

HeadView seen_by_model(std::string_view function, const ImageView& images, const HeadView& head,
                       const MatrixRef& pixels) {
  Matrix activations = images.forward(pixels);
  if (activations.rows() != pixels.rows() * head.positions || activations.cols() != head.width())
    numerics::refuse(function, "the model answered " + numerics::shape_of(activations) + " for " +
                                   std::to_string(pixels.rows()) + " images");
  HeadView seen;
  seen.activations = std::move(activations);
  seen.positions = head.positions;
  seen.weight = head.weight;
  seen.bias = head.bias;
  seen.pooling = head.pooling;
  seen.output = head.output;
  return seen;
}

}  // namespace conoscope::metrics
