// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/types.h"
#include "numerics/random.h"
#include "tests/support/table1_representations.h"

namespace conoscope::tests {

/// Independent binary concepts, and the pure or impure representation of Table 1 made of them.
struct HandMade {
  metrics::Matrix concepts, pure, impure;

  HandMade(metrics::Index n, metrics::Index k, std::uint64_t seed = 0)
      : concepts(n, k), pure(n, k), impure(n, k) {
    numerics::Random random(seed);
    for (double& c : concepts.reshaped()) c = random.uniform() < 0.5 ? 1.0 : 0.0;
    fill(pure, true, random);
    fill(impure, false, random);
  }

 private:
  void fill(metrics::Matrix& out, bool is_pure, numerics::Random& random) const {
    const auto intervals = testing::table1_intervals(concepts, is_pure);
    for (metrics::Index i = 0; i < out.rows(); ++i)
      for (metrics::Index j = 0; j < out.cols(); ++j)
        out(i, j) = random.uniform(intervals.low(i, j), intervals.high(i, j));
  }
};

}  // namespace conoscope::tests
