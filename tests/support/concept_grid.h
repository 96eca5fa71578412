// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/types.h"

namespace conoscope::tests {

/// Every combination of k concepts once, the last one fastest: 2^k x k of 0 and 1.
inline metrics::Matrix concept_grid(metrics::Index concepts) {
  metrics::Matrix grid(metrics::Index{1} << concepts, concepts);
  for (metrics::Index i = 0; i < grid.rows(); ++i)
    for (metrics::Index j = 0; j < concepts; ++j)
      grid(i, j) = static_cast<double>((i >> (concepts - 1 - j)) & 1);
  return grid;
}

}  // namespace conoscope::tests
