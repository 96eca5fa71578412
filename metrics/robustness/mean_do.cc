// SPDX-License-Identifier: Apache-2.0
#include "metrics/robustness/mean_do.h"

#include <algorithm>
#include <string>

#include "numerics/checks.h"

namespace conoscope::metrics {

namespace detail {

void require_subset(std::string_view metric, std::string_view argument, const IndexVector& subset,
                    Index size) {
  std::vector<bool> seen(static_cast<std::size_t>(size));
  for (const Index member : subset) {
    if (member < 0 || member >= size)
      numerics::refuse(metric, std::string(argument) + " names number " + std::to_string(member) +
                                   ", outside 0 ... " + std::to_string(size - 1));
    if (seen[static_cast<std::size_t>(member)])
      numerics::refuse(
          metric, std::string(argument) + " names number " + std::to_string(member) + " twice");
    seen[static_cast<std::size_t>(member)] = true;
  }
}

IndexVector complement(const IndexVector& subset, Index size) {
  IndexVector out;
  for (Index i = 0; i < size; ++i)
    if (std::find(subset.begin(), subset.end(), i) == subset.end()) out.push_back(i);
  return out;
}

InterventionalMeans centred_mean_do(const FactorCells& cells, const IndexVector& intervened,
                                    InterventionWeights weights) {
  const Grouping group = group_by(cells.levels, cells.values, cells.cells(), intervened);
  const Grouping rest =
      group_by(cells.levels, cells.values, cells.cells(), complement(intervened, cells.factors()));
  Vector rest_count = Vector::Zero(rest.groups);  // n(g_\S)
  for (Index c = 0; c < cells.cells(); ++c)
    rest_count[rest.group[static_cast<std::size_t>(c)]] += cells.count[c];

  InterventionalMeans out;
  out.of_cell = group.group;
  out.values.resize(group.groups, static_cast<Index>(intervened.size()));
  out.mean = Matrix::Zero(group.groups, cells.latents());
  out.coverage = Vector::Zero(group.groups);
  out.samples = Vector::Zero(group.groups);
  for (Index c = 0; c < cells.cells(); ++c) {
    const auto at = static_cast<std::size_t>(c);
    const Index g = group.group[at];
    const double share = rest_count[rest.group[at]] / static_cast<double>(cells.samples);
    if (out.samples[g] == 0.0)
      for (std::size_t s = 0; s < intervened.size(); ++s) {
        const auto k = static_cast<std::size_t>(intervened[s]);
        out.values(g, static_cast<Index>(s)) =
            cells.values[k][static_cast<std::size_t>(cells.levels[k][at])];
      }
    out.samples[g] += cells.count[c];
    out.coverage[g] += share;
    out.mean.row(g) += share * cells.centred_mean.row(c);
  }
  if (weights == InterventionWeights::kSelfNormalised)
    out.mean.array().colwise() /= out.coverage.array();
  else
    out.mean += (out.coverage.array() - 1.0).matrix() * cells.origin;
  return out;
}

}  // namespace detail

InterventionalMeans mean_do(const FactorCells& cells, const IndexVector& intervened,
                            InterventionWeights weights) {
  detail::require_subset("mean_do", "intervened", intervened, cells.factors());
  InterventionalMeans out = detail::centred_mean_do(cells, intervened, weights);
  out.mean.rowwise() += cells.origin;
  return out;
}

}  // namespace conoscope::metrics
