// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of models ask of a derivative by the inputs.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "conoscope/sdk/random.h"
#include "tests/support/plugin_driver.h"

namespace conoscope::testing {

/// Of each sample the product with a random direction is that of differences of forward().
///
/// shape       of the inputs
/// positions, width  P and D of the activations
inline void check_forward_gradient(const Plugin& plugin, const Arguments& arguments,
                                   const Bundle& model, const std::vector<std::int64_t>& shape,
                                   std::vector<double> inputs, std::int64_t positions,
                                   std::int64_t width) {
  // As check_derivative() of core, which the tests of models do not link, with one step more. Networks
  // compute in float32, which a small step loses digits to; where a ReLU turns between the two
  // ends, a large one is off. Of a right gradient one of them agrees.
  constexpr double kSame = 1e-2;
  sdk::Random random{sdk::Seed(3)};
  const auto samples = static_cast<std::size_t>(shape[0]);
  const std::vector<std::int64_t> of_layer = {shape[0], positions, width};
  double largest = 0.0;
  for (const double x : inputs) largest = std::max(largest, std::abs(x));
  std::vector<double> cotangents(static_cast<std::size_t>(shape[0] * positions * width)),
      direction(inputs.size());
  // Where two pixels are equal, as in a white background, a max pool has no derivative.
  for (double& x : inputs) x += 0.05 * largest * random.normal();
  for (double& u : cotangents) u = random.normal();
  for (double& v : direction) v = random.normal();
  const auto forward = [&](double step) {
    std::vector<double> moved = inputs;
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += step * direction[i];
    const Outcome out =
        plugin.forward(arguments, model, OwnedArray::of<double>(shape, moved), of_layer);
    REQUIRE(out.error == "");
    const auto values = out.out.values<double>("activations");
    return std::vector<double>(values.begin(), values.end());
  };
  const Outcome gradient =
      plugin.forward_gradient(arguments, model, OwnedArray::of<double>(shape, inputs),
                              OwnedArray::of<double>(of_layer, cotangents));
  REQUIRE(gradient.error == "");
  const auto g = gradient.out.values<double>("gradients");
  std::vector<double> by_difference(samples), by_gradient(samples);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    by_gradient[i * samples / inputs.size()] += g[i] * direction[i];
  for (const double of_largest : {1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6}) {
    const double step = of_largest * largest;
    const auto up = forward(step), down = forward(-step);
    std::vector<double> now(samples);
    for (std::size_t i = 0; i < cotangents.size(); ++i)
      now[i * samples / cotangents.size()] += cotangents[i] * (up[i] - down[i]) / (2.0 * step);
    for (std::size_t i = 0; i < samples; ++i)
      if (of_largest == 1e-3 ||
          std::abs(now[i] - by_gradient[i]) < std::abs(by_difference[i] - by_gradient[i]))
        by_difference[i] = now[i];
  }
  double most = 0.0;
  for (const double d : by_difference) most = std::max(most, std::abs(d));
  CHECK(most > 0.0);
  for (std::size_t i = 0; i < samples; ++i)
    CHECK(std::abs(by_gradient[i] - by_difference[i]) <= kSame * most);

  CHECK(plugin
            .forward_gradient(arguments, model, OwnedArray::of<double>(shape, inputs),
                              OwnedArray::of<double>({shape[0], positions, width + 1},
                                                     std::vector<double>(static_cast<std::size_t>(
                                                         shape[0] * positions * (width + 1)))))
            .status == CONO_INVALID_ARGUMENT);
}

}  // namespace conoscope::testing
