// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "conoscope/sdk/explainer.h"

namespace conoscope::explainers {

/// throws  NotApplicable: an activation is negative, which a non-negative factorisation cannot
///         rebuild
inline void refuse_negative(const std::string& method, const sdk::Tensor& activations) {
  activations.for_each([&](std::int64_t i, double value) {
    if (value < 0.0)
      throw sdk::NotApplicable(
          method + ": needs non-negative activations, as after a ReLU; entry " + std::to_string(i) +
          " of the " + activations.shape_text() + " activations is " + std::to_string(value));
  });
}

}  // namespace conoscope::explainers
