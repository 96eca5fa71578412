// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// By its place: nothing else of the sdk is in sight from here.
#include "harness/sdk/include/conoscope/sdk/random.h"

namespace conoscope::numerics {

using sdk::Seed;

/// The random numbers that plugins draw, for whoever has a metric's seed.
class Random : public sdk::Random {
 public:
  using sdk::Random::Random;

  /// One of the numbered streams of a metric's seed: a metric draws from Subject::seed alone, and
  /// its uses of that seed are kept apart by `stream`. Stream s is child s - 1, stream 0 the one
  /// before the first.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
      : sdk::Random(Seed(seed).child(stream - 1)) {}
};

}  // namespace conoscope::numerics
