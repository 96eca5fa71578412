// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics {

/// Every factor's values as ranks among that factor's distinct values.
struct FactorLevels {
  Index samples = 0;
  std::vector<std::vector<double>> values;        ///< [factor]: its distinct values, ascending
  std::vector<std::vector<std::int32_t>> levels;  ///< [factor][sample]: rank of the value

  Index factors() const { return static_cast<Index>(values.size()); }
};

/// factors  G, n x K: any finite numbers; equal numbers are the same value.
/// throws   std::invalid_argument: n < 1, K < 1, an entry not finite
FactorLevels factor_levels(std::string_view metric, const MatrixRef& factors);

}  // namespace conoscope::metrics
