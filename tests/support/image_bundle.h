// SPDX-License-Identifier: Apache-2.0
#pragma once

// Images as an explainer receives them, with a model that can be worked out by hand.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conoscope/sdk/random.h"
#include "tests/support/head_bundle.h"

namespace conoscope::testing {

/// m x 8 x 8 x 1 -> m x 4 x 4: positions are the quadrants; features are the mean of a quadrant's
/// pixels, one minus that, and the means of its upper and its lower half.
inline cono_status shades(const sdk::Tensor& inputs, std::span<double> activations) {
  std::fill(activations.begin(), activations.end(), 0.0);
  inputs.for_each([&](std::int64_t i, double value) {
    const std::int64_t x = i % 8, y = i / 8 % 8, sample = i / 64;
    double* const features = activations.data() + (sample * 4 + y / 4 * 2 + x / 4) * 4;
    features[0] += value / 16.0;
    features[1] += (1.0 - value) / 16.0;
    features[y % 4 < 2 ? 2 : 3] += value / 8.0;
  });
  return CONO_OK;
}

/// n images of 8 x 8, in turn bright and dark, with noise. Output 0 says bright, output 1 dark.
inline Bundle image_bundle(std::int64_t n, const std::string& output = "softmax",
                           const std::string& pooling = "mean") {
  sdk::Random random{sdk::Seed(11)};
  std::vector<double> pixels;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t p = 0; p < 64; ++p)
      pixels.push_back((i % 2 == 0 ? 0.6 : 0.0) + 0.4 * random.uniform());
  const auto inputs = OwnedArray::of<double>({n, 8, 8, 1}, pixels);
  Rows activations(n * 4, 4);
  shades(sdk::Tensor(inputs.raw()),
         {activations.data(), static_cast<std::size_t>(activations.size())});
  Rows weight{{1.0, -1.0, 0.0, 0.0}, {-1.0, 1.0, 0.0, 0.0}};
  if (pooling == "flatten") weight = weight.replicate(1, 4).eval();
  Bundle head = head_bundle(activations, 4, weight, {0.0, 0.0}, output, pooling);
  head.arrays["inputs"] = inputs;
  return head;
}

}  // namespace conoscope::testing
