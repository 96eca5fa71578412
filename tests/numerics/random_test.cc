// SPDX-License-Identifier: Apache-2.0
#include "numerics/random.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>

using conoscope::numerics::Random;
using conoscope::numerics::Seed;

// Scores of earlier runs rest on these.
TEST_CASE("the numbered streams keep their draws") {
  // SplitMix64 of the seed + stream * 0x9e3779b97f4a7c15; mix(0) is its published first output.
  CHECK(Seed(0).child(~0ULL).value() == 0xe220a8397b1dcdafULL);
  for (const std::uint64_t seed : {0ULL, 5ULL, ~0ULL})
    for (const std::uint64_t stream : {0ULL, 1ULL, 29ULL}) {
      std::uint64_t z = seed + 0x9e3779b97f4a7c15ULL * (stream + 1);
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
      std::mt19937_64 engine(z ^ (z >> 31));
      Random random(seed, stream);
      for (int i = 0; i < 20; ++i)
        CHECK(random.uniform() == static_cast<double>(engine() >> 11) * 0x1.0p-53);
    }
}
