// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of trained classifiers ask of each of them.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/plugins/models/check_repeatable.h"
#include "tests/support/forward_gradient.h"
#include "tests/support/outcomes.h"

namespace conoscope::testing {

inline Bundle digits(std::uint64_t seed = 0) { return loaded(plugin("digits"), {}, seed); }

/// Logits n x C in double, from the head view alone.
inline std::vector<double> head_outputs(const Bundle& model) {
  const auto h = model.values<float>("activations"), w = model.values<float>("head_weight"),
             b = model.values<float>("head_bias");
  const auto& shape = model.shape("activations");
  const auto n = static_cast<std::size_t>(shape[0]), positions = static_cast<std::size_t>(shape[1]),
             width = static_cast<std::size_t>(shape[2]), outputs = b.size();
  std::vector<double> result(n * outputs);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < outputs; ++c) {
      double sum = 0.0;
      for (std::size_t p = 0; p < positions; ++p)
        for (std::size_t d = 0; d < width; ++d)
          sum += static_cast<double>(h[(i * positions + p) * width + d]) *
                 static_cast<double>(w[c * width + d]);
      result[i * outputs + c] = static_cast<double>(b[c]) + sum / static_cast<double>(positions);
    }
  return result;
}

/// Share of the test split that the head view's largest output gets right.
inline double head_accuracy(const Bundle& model, const Bundle& data) {
  const auto scores = head_outputs(model);
  const auto labels = data.values<std::int64_t>("labels");
  const auto outputs = model.shape("head_weight")[0];
  const auto test = data.values<std::int64_t>("test_index");
  double right = 0.0;
  for (const std::int64_t i : test) {
    const double* row = scores.data() + i * outputs;
    right += std::max_element(row, row + outputs) - row == labels[static_cast<std::size_t>(i)];
  }
  return right / static_cast<double>(test.size());
}

/// forward() on ten rows of the inputs gives what fit() left for them. Returns the ten.
inline OwnedArray check_forward(const Plugin& plugin, const Arguments& arguments,
                                const Bundle& data, const Bundle& model, std::size_t first = 20) {
  const auto inputs = data.values<float>("inputs");
  auto shape = data.shape("inputs");
  const std::size_t row = inputs.size() / static_cast<std::size_t>(shape[0]);
  shape[0] = 10;
  const auto rows = inputs.subspan(first * row, 10 * row);
  const OwnedArray ten = OwnedArray::of<float>(shape, {rows.begin(), rows.end()});
  const auto& all = model.shape("activations");
  const Outcome again = plugin.forward(arguments, model, ten, {10, all[1], all[2]});
  REQUIRE(again.error == "");
  const auto fitted = model.values<float>("activations");
  const auto got = again.out.values<double>("activations");
  double largest = 0.0, apart = 0.0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double reference = static_cast<double>(fitted[first * got.size() / 10 + i]);
    largest = std::max(largest, std::abs(reference));
    apart = std::max(apart, std::abs(got[i] - reference));
  }
  CHECK(largest > 0.1);
  CHECK(apart <= 1e-5 * largest);  // float32 sums, in another order when batches differ
  check_forward_gradient(plugin, arguments, model, shape, {rows.begin(), rows.end()}, all[1],
                         all[2]);
  return ten;
}

}  // namespace conoscope::testing
