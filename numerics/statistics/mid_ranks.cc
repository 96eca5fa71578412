// SPDX-License-Identifier: Apache-2.0
#include "numerics/statistics/mid_ranks.h"

#include <algorithm>
#include <numeric>

namespace conoscope::numerics {

Vector mid_ranks(const VectorRef& values) {
  const auto n = static_cast<std::size_t>(values.size());
  IndexVector order(n);
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index i, Index j) { return values(i) < values(j); });
  Vector ranks(values.size());
  for (std::size_t first = 0; first < n;) {
    std::size_t end = first + 1;
    while (end < n && values(order[end]) == values(order[first])) ++end;
    const double rank = 0.5 * static_cast<double>(first + 1 + end);
    for (; first < end; ++first) ranks(order[first]) = rank;
  }
  return ranks;
}

}  // namespace conoscope::numerics
