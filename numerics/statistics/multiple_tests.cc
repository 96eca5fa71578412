// SPDX-License-Identifier: Apache-2.0
#include "numerics/statistics/multiple_tests.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "numerics/checks.h"

namespace conoscope::numerics {

namespace {

IndexVector ascending(const char* function, const VectorRef& p) {
  for (Index i = 0; i < p.size(); ++i)
    if (!(p(i) >= 0.0 && p(i) <= 1.0))
      refuse(function, "p is " + std::to_string(p(i)) + " at entry " + std::to_string(i) +
                           "; it must be in 0 ... 1");
  IndexVector order(static_cast<std::size_t>(p.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return p(i) < p(j); });
  return order;
}

}  // namespace

Vector holm(const VectorRef& p) {
  const IndexVector order = ascending("holm", p);
  Vector adjusted(p.size());
  double highest = 0.0;
  auto left = static_cast<double>(p.size());
  for (const Index i : order) {
    highest = std::max(highest, std::min(1.0, left * p(i)));
    adjusted(i) = highest;
    left -= 1.0;
  }
  return adjusted;
}

Vector benjamini_hochberg(const VectorRef& p) {
  const IndexVector order = ascending("benjamini_hochberg", p);
  Vector adjusted(p.size());
  const auto m = static_cast<double>(p.size());
  double lowest = 1.0;
  for (std::size_t place = order.size(); place > 0; --place) {
    const Index i = order[place - 1];
    lowest = std::min(lowest, m * p(i) / static_cast<double>(place));
    adjusted(i) = lowest;
  }
  return adjusted;
}

}  // namespace conoscope::numerics
