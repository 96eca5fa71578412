// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <utility>

#include "metrics/types.h"

namespace conoscope::metrics::detail {

/// The numbers of numpy.random.RandomState(seed), which published values were made with. The engine
/// is the standard's mt19937; what is made of its words is numpy's.
class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint32_t seed) : engine_(seed) {}

  /// uniform(low, high): 53 bits of two words.
  double uniform(double low, double high) {
    const std::uint32_t upper = word() >> 5, lower = word() >> 6;
    return low + (high - low) * ((upper * 0x1.0p26 + lower) * 0x1.0p-53);
  }

  /// shuffle(items): from the end, each place drawn by masking words until one is in range.
  void shuffle(IndexVector& items) {
    for (std::size_t i = items.size(); i-- > 1;) {
      std::uint32_t mask = static_cast<std::uint32_t>(i);
      for (const int by : {1, 2, 4, 8, 16}) mask |= mask >> by;
      std::uint32_t place = word() & mask;
      while (place > i) place = word() & mask;
      std::swap(items[i], items[place]);
    }
  }

 private:
  std::uint32_t word() { return static_cast<std::uint32_t>(engine_()); }

  std::mt19937 engine_;
};

}  // namespace conoscope::metrics::detail
