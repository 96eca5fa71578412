// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the training benchmarks are trained on. The last eight samples are the test split.

#include <cstdint>
#include <utility>
#include <vector>

#include "conoscope/sdk/random.h"
#include "tests/support/plugin_driver.h"

namespace conoscope::bench {

/// A classification task with three concepts.
inline testing::Bundle labelled(testing::OwnedArray inputs,
                                const std::vector<std::int64_t>& concepts,
                                const std::vector<std::int64_t>& labels) {
  using testing::OwnedArray;
  const auto samples = static_cast<std::int64_t>(labels.size());
  std::vector<std::int64_t> train, test;
  for (std::int64_t i = 0; i < samples; ++i) (i < samples - 8 ? train : test).push_back(i);
  testing::Bundle data;
  data.arrays["inputs"] = std::move(inputs);
  data.arrays["concepts"] = OwnedArray::of<std::int64_t>({samples, 3}, concepts);
  data.arrays["labels"] = OwnedArray::of<std::int64_t>({samples}, labels);
  put_split(data, train, test);
  data.texts["task"] = "classification";
  return data;
}

/// White squares on black, 64 x 64 pixels of one channel. Factors: row, column and size of the
/// square; concepts: each of them small; labels: the size.
inline testing::Bundle squares(std::int64_t samples) {
  constexpr std::int64_t kSide = 64;
  sdk::Random random(sdk::Seed(1));
  const auto below = [&random](std::uint64_t n) {
    return static_cast<std::int64_t>(random.below(n));
  };
  std::vector<std::uint8_t> images(static_cast<std::size_t>(samples * kSide * kSide), 0);
  std::vector<std::int64_t> factors, concepts, labels;
  for (std::int64_t i = 0; i < samples; ++i) {
    const std::int64_t row = below(8), column = below(8), size = 1 + below(3);
    for (std::int64_t y = 5 * row; y < 5 * row + 8 * size; ++y)
      for (std::int64_t x = 5 * column; x < 5 * column + 8 * size; ++x)
        images[static_cast<std::size_t>((i * kSide + y) * kSide + x)] = 1;
    factors.insert(factors.end(), {row, column, size});
    concepts.insert(concepts.end(), {row < 4, column < 4, size < 2});
    labels.push_back(size - 1);
  }
  using testing::OwnedArray;
  testing::Bundle data =
      labelled(OwnedArray::of<std::uint8_t>({samples, kSide, kSide, 1}, images), concepts, labels);
  data.arrays["factors"] = OwnedArray::of<std::int64_t>({samples, 3}, factors);
  return data;
}

/// Seven columns, three concepts that a line tells from them, and their majority.
inline testing::Bundle table(std::int64_t samples) {
  sdk::Random random(sdk::Seed(2));
  std::vector<float> inputs;
  std::vector<std::int64_t> concepts, labels;
  for (std::int64_t i = 0; i < samples; ++i) {
    std::int64_t present = 0;
    for (int column = 0; column < 7; ++column) {
      inputs.push_back(static_cast<float>(random.normal()));
      if (column >= 3) continue;
      concepts.push_back(inputs.back() > 0);
      present += concepts.back();
    }
    labels.push_back(present >= 2);
  }
  return labelled(testing::OwnedArray::of<float>({samples, 7}, inputs), concepts, labels);
}

}  // namespace conoscope::bench
