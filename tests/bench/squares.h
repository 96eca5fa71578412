#pragma once

#include <cstdint>
#include <vector>

#include "conoscope/sdk/random.h"
#include "tests/support/plugin_driver.h"

namespace conoscope::bench {

/// White squares on black, side x side pixels of one channel (a multiple of 64); the last eight samples are the test
/// split. Factors: row, column and size of the square; concepts: each of them small; labels: the
/// size.
inline testing::Bundle squares(std::int64_t samples, std::int64_t side) {
  sdk::Random random(sdk::Seed(1));
  const auto below = [&random](std::uint64_t n) {
    return static_cast<std::int64_t>(random.below(n));
  };
  std::vector<std::uint8_t> images(static_cast<std::size_t>(samples * side * side), 0);
  std::vector<std::int64_t> factors, concepts, labels, train, test;
  for (std::int64_t i = 0; i < samples; ++i) {
    const std::int64_t row = below(8), column = below(8), size = 1 + below(3), unit = side / 64;
    for (std::int64_t y = 5 * unit * row; y < unit * (5 * row + 8 * size); ++y)
      for (std::int64_t x = 5 * unit * column; x < unit * (5 * column + 8 * size); ++x)
        images[static_cast<std::size_t>((i * side + y) * side + x)] = 1;
    factors.insert(factors.end(), {row, column, size});
    concepts.insert(concepts.end(), {row < 4, column < 4, size < 2});
    labels.push_back(size - 1);
    (i < samples - 8 ? train : test).push_back(i);
  }
  using testing::OwnedArray;
  const auto count = [](const auto& values) { return static_cast<std::int64_t>(values.size()); };
  testing::Bundle data;
  data.arrays["inputs"] = OwnedArray::of<std::uint8_t>({samples, side, side, 1}, images);
  data.arrays["factors"] = OwnedArray::of<std::int64_t>({samples, 3}, factors);
  data.arrays["concepts"] = OwnedArray::of<std::int64_t>({samples, 3}, concepts);
  data.arrays["labels"] = OwnedArray::of<std::int64_t>({samples}, labels);
  data.arrays["train_index"] = OwnedArray::of<std::int64_t>({count(train)}, train);
  data.arrays["test_index"] = OwnedArray::of<std::int64_t>({count(test)}, test);
  data.texts["task"] = "classification";
  return data;
}

}  // namespace conoscope::bench
