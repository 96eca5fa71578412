// SPDX-License-Identifier: Apache-2.0
#include "datasets/superposition/forest.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "numerics/checks.h"

namespace conoscope::datasets::superposition {

using numerics::refuse;
using numerics::require_at_least;

Forest grow_forest(Index n, Index roots, Index branching, Index depth) {
  require_at_least("grow_forest", "n", n, 1);
  require_at_least("grow_forest", "roots", roots, 0);
  require_at_least("grow_forest", "branching", branching, 1);
  require_at_least("grow_forest", "depth", depth, 0);
  Forest out{IndexVector(static_cast<std::size_t>(n), -1),
             IndexVector(static_cast<std::size_t>(n), -1)};
  const Index first_level = std::min(roots, n);
  std::fill_n(out.level.begin(), first_level, 0);
  Index next = first_level;
  // Breadth first: parents have smaller numbers than their children, and are finished when met.
  for (Index parent = 0; parent < next && next < n; ++parent) {
    const Index level = out.level[static_cast<std::size_t>(parent)];
    if (level == depth) break;
    for (Index child = 0; child < branching && next < n; ++child, ++next) {
      out.parent[static_cast<std::size_t>(next)] = parent;
      out.level[static_cast<std::size_t>(next)] = level + 1;
    }
  }
  return out;
}

Vector zipf_rates(Index n, double exponent, double most, double least) {
  require_at_least("zipf_rates", "n", n, 1);
  numerics::require_weight("zipf_rates", "exponent", exponent);
  if (!(0.0 <= least && least <= most && most <= 1.0))
    refuse("zipf_rates", "rates from " + std::to_string(least) + " to " + std::to_string(most) +
                             ", expected 0 <= least <= most <= 1");
  const double last = std::pow(static_cast<double>(n), -exponent);
  if (last == 1.0) return Vector::Constant(n, most);
  Vector out(n);
  for (Index i = 0; i < n; ++i)
    out[i] = least + (most - least) * (std::pow(static_cast<double>(i + 1), -exponent) - last) /
                         (1.0 - last);
  return out;
}

std::vector<IndexVector> children_of(const IndexVector& parent) {
  std::vector<IndexVector> out(parent.size());
  for (std::size_t i = 0; i < parent.size(); ++i) {
    if (parent[i] == -1) continue;
    if (parent[i] < 0 || parent[i] >= static_cast<Index>(parent.size()) ||
        parent[i] == static_cast<Index>(i))
      refuse("children_of", "parent[" + std::to_string(i) + "] is " + std::to_string(parent[i]) +
                                ", expected another one of " + std::to_string(parent.size()) +
                                " features");
    out[static_cast<std::size_t>(parent[i])].push_back(static_cast<Index>(i));
  }
  return out;
}

DrawingRates compensate(const VectorRef& p, const IndexVector& parent, bool exclusive) {
  if (p.size() != static_cast<Index>(parent.size()))
    refuse("compensate",
           std::to_string(p.size()) + " targets and " + std::to_string(parent.size()) + " parents");
  for (Index i = 0; i < p.size(); ++i)
    if (!(p[i] > 0.0 && p[i] <= 1.0))
      refuse("compensate", "p[" + std::to_string(i) + "] is " + std::to_string(p[i]) +
                               ", expected a rate above 0, at most 1");
  DrawingRates out{p};
  const auto children = children_of(parent);
  for (Index up = 0; up < p.size(); ++up) {
    const IndexVector& family = children[static_cast<std::size_t>(up)];
    double all = 0.0;
    for (const Index i : family) all += p[i] / p[up];
    for (const Index i : family) {
      const double share = p[i] / p[up];
      const double wanted = share * (exclusive ? 1.0 + (all - share) : 1.0);
      out.cut += wanted > 1.0;
      out.rate[i] = std::min(1.0, wanted);
    }
  }
  return out;
}

}  // namespace conoscope::datasets::superposition
