// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <vector>

namespace conoscope::explainers {

/// All of the values, or `most` of them, drawn without replacement, ascending.
///
/// values  ascending
/// random  of the SDK, or of numerics
template <typename Random>
std::vector<Eigen::Index> draw_at_most(std::vector<Eigen::Index> values, std::int64_t most,
                                       Random random) {
  if (static_cast<std::int64_t>(values.size()) <= most) return values;
  random.shuffle(values);
  values.resize(static_cast<std::size_t>(most));
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace conoscope::explainers
