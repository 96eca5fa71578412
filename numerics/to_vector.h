// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "numerics/types.h"

namespace conoscope::numerics {

/// A copy in memory of its own. Eigen adds up what is mapped in an order that depends on the address
/// where it begins, so that a sum over a std::vector would have other last bits from run to run.
inline Vector to_vector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

}  // namespace conoscope::numerics
