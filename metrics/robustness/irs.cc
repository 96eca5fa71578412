// SPDX-License-Identifier: Apache-2.0
#include "metrics/robustness/irs.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

template <typename Left, typename Right>
double distance(const Left& a, const Right& b, const IndexVector& latents, CodeDistance kind) {
  double sum = 0.0, top = 0.0;
  for (const Index l : latents) {
    const double gap = std::abs(a[l] - b[l]);
    sum += kind == CodeDistance::kL2 ? gap * gap : gap;
    top = std::max(top, gap);
  }
  return kind == CodeDistance::kLinf ? top : kind == CodeDistance::kL2 ? std::sqrt(sum) : sum;
}

void require_some(const char* metric, const char* argument, const IndexVector& subset, Index size) {
  if (subset.empty())
    numerics::refuse(metric, std::string(argument) + " is empty; needs at least one");
  detail::require_subset(metric, argument, subset, size);
}

/// The mean codes with `kept` set, and with the nuisance factors set besides, of latents and factors
/// that the cells have: that it exists is the proof. A view: its arguments must outlive it.
struct HeldAndMoved {
  HeldAndMoved(const char* metric, const FactorCells& of, const IndexVector& judged,
               const IndexVector& kept, const IndexVector& nuisance, const IrsOptions& with)
      : cells(of), latents(judged), options(with) {
    require_some(metric, "latents", latents, cells.latents());
    require_some(metric, "nuisance", nuisance, cells.factors());
    detail::require_subset(metric, "kept", kept, cells.factors());
    IndexVector both = kept;
    for (const Index factor : nuisance) {
      if (std::find(kept.begin(), kept.end(), factor) != kept.end())
        numerics::refuse(metric,
                         "factor " + std::to_string(factor) + " is in both kept and nuisance");
      both.push_back(factor);
    }
    held = detail::centred_mean_do(cells, kept, options.weights);
    moved = detail::centred_mean_do(cells, both, options.weights);
  }

  double gap(Index from, Index to) const {
    return distance(held.mean.row(from), moved.mean.row(to), latents, options.distance);
  }

  /// visit(from, to) for each value of `both`: a finer group, `to`, lies in one coarser group.
  template <typename Visit>
  void each(const Visit& visit) const {
    std::vector<bool> seen(static_cast<std::size_t>(moved.mean.rows()));
    for (std::size_t c = 0; c < held.of_cell.size(); ++c) {
      const Index to = moved.of_cell[c];
      if (seen[static_cast<std::size_t>(to)]) continue;
      seen[static_cast<std::size_t>(to)] = true;
      visit(held.of_cell[c], to);
    }
  }

  /// The largest gap of each value of `kept`.
  Vector worst() const {
    Vector out = Vector::Zero(held.mean.rows());
    each([&](Index from, Index to) { out[from] = std::max(out[from], gap(from, to)); });
    return out;
  }

  Vector gaps() const {
    Vector out(moved.mean.rows());
    each([&](Index from, Index to) { out[to] = gap(from, to); });
    return out;
  }

  Empida average() const {
    const Vector gaps = worst();
    return {options.average == OuterAverage::kUniform
                ? gaps.mean()
                : gaps.dot(held.samples) / static_cast<double>(cells.samples),
            std::min({1.0, held.coverage.minCoeff(), moved.coverage.minCoeff()})};
  }

  const FactorCells& cells;
  const IndexVector& latents;
  const IrsOptions& options;
  InterventionalMeans held, moved;
};

}  // namespace

Empida empida(const FactorCells& cells, const IndexVector& latents, const IndexVector& kept,
              const IndexVector& nuisance, const IrsOptions& options) {
  return HeldAndMoved("empida", cells, latents, kept, nuisance, options).average();
}

Vector mpida(const FactorCells& cells, const IndexVector& latents, const IndexVector& kept,
             const IndexVector& nuisance, const IrsOptions& options) {
  return HeldAndMoved("mpida", cells, latents, kept, nuisance, options).worst();
}

Vector pida(const FactorCells& cells, const IndexVector& latents, const IndexVector& kept,
            const IndexVector& nuisance, const IrsOptions& options) {
  return HeldAndMoved("pida", cells, latents, kept, nuisance, options).gaps();
}

Irs irs(const FactorCells& cells, const IndexVector& latents, const IndexVector& kept,
        const IndexVector& nuisance, const IrsOptions& options) {
  const Empida above = HeldAndMoved("irs", cells, latents, kept, nuisance, options).average();
  const IndexVector all = detail::complement({}, cells.factors());
  const Empida below =
      empida(cells, latents, {}, all, {.average = options.average, .distance = options.distance});
  Irs out{std::nullopt, above.value, below.value, above.coverage};
  if (below.value > 0.0) out.value = 1.0 - above.value / below.value;
  return out;
}

Irs domain_shift_robustness(const FactorCells& cells, const IndexVector& latents,
                            const IndexVector& domain, const IrsOptions& options) {
  require_some("domain_shift_robustness", "domain", domain, cells.factors());
  return irs(cells, latents, detail::complement(domain, cells.factors()), domain, options);
}

double domain_coverage(const FactorCells& cells, const IndexVector& domain) {
  require_some("domain_coverage", "domain", domain, cells.factors());
  const auto grouped = [&](const IndexVector& factors) {
    return group_by(cells.levels, cells.values, cells.cells(), factors);
  };
  const Grouping held = grouped(detail::complement(domain, cells.factors()));
  // A cell is one combination of all factors: those of a group differ in their domain.
  Vector domains = Vector::Zero(held.groups), samples = domains;
  for (Index c = 0; c < cells.cells(); ++c) {
    const Index group = held.group[static_cast<std::size_t>(c)];
    domains[group] += 1.0;
    samples[group] += cells.count[c];
  }
  return domains.dot(samples) / static_cast<double>(grouped(domain).groups * cells.samples);
}

}  // namespace conoscope::metrics
