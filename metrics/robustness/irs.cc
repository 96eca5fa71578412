#include "metrics/robustness/irs.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

void check(const char* metric, const FactorCells& cells, const IndexVector& latents,
           const IndexVector& kept, const IndexVector& nuisance) {
  if (latents.empty()) numerics::refuse(metric, "latents is empty; needs at least one");
  if (nuisance.empty()) numerics::refuse(metric, "nuisance is empty; needs at least one factor");
  detail::require_subset(metric, "latents", latents, cells.latents());
  detail::require_subset(metric, "kept", kept, cells.factors());
  detail::require_subset(metric, "nuisance", nuisance, cells.factors());
  for (const Index factor : kept)
    if (std::find(nuisance.begin(), nuisance.end(), factor) != nuisance.end())
      numerics::refuse(metric,
                       "factor " + std::to_string(factor) + " is in both kept and nuisance");
}

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

IndexVector both(const IndexVector& kept, const IndexVector& nuisance) {
  IndexVector out = kept;
  out.insert(out.end(), nuisance.begin(), nuisance.end());
  return out;
}

/// The group of these values; -1: never observed.
Index find_group(const InterventionalMeans& means, const std::vector<double>& values) {
  for (Index g = 0; g < means.values.rows(); ++g) {
    bool same = true;
    for (Index s = 0; s < means.values.cols(); ++s)
      same = same && means.values(g, s) == values[static_cast<std::size_t>(s)];
    if (same) return g;
  }
  return -1;
}

std::string list(const std::vector<double>& values) {
  std::string out = "(";
  for (const double value : values) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    out += (out.size() > 1 ? ", " : "") + text;
  }
  return out + ")";
}

Index require_group(const char* metric, const InterventionalMeans& means,
                    const std::vector<double>& values) {
  const Index group = find_group(means, values);
  if (group < 0)
    throw std::domain_error(std::string(metric) + ": the factor values " + list(values) +
                            " never occur together, so their mean is not defined");
  return group;
}

void require_values(const char* metric, const char* argument, const IndexVector& factors,
                    const std::vector<double>& values) {
  if (values.size() != factors.size())
    numerics::refuse(metric, std::string(argument) + " has " + std::to_string(values.size()) +
                                 " entries for " + std::to_string(factors.size()) + " factors");
}

void require_domain(const char* metric, const FactorCells& cells, const IndexVector& domain) {
  detail::require_subset(metric, "domain", domain, cells.factors());
  if (domain.empty()) numerics::refuse(metric, "domain is empty; needs at least one factor");
}

}  // namespace

double pida(const FactorCells& cells, const IndexVector& latents, const IndexVector& kept,
            const std::vector<double>& kept_values, const IndexVector& nuisance,
            const std::vector<double>& nuisance_values, const IrsOptions& options) {
  check("pida", cells, latents, kept, nuisance);
  require_values("pida", "kept_values", kept, kept_values);
  require_values("pida", "nuisance_values", nuisance, nuisance_values);
  const auto held = detail::centred_mean_do(cells, kept, options.weights);
  const auto moved = detail::centred_mean_do(cells, both(kept, nuisance), options.weights);
  std::vector<double> all = kept_values;
  all.insert(all.end(), nuisance_values.begin(), nuisance_values.end());
  return distance(held.mean.row(require_group("pida", held, kept_values)),
                  moved.mean.row(require_group("pida", moved, all)), latents, options.distance);
}

double mpida(const FactorCells& cells, const IndexVector& latents, const IndexVector& kept,
             const std::vector<double>& kept_values, const IndexVector& nuisance,
             const IrsOptions& options) {
  check("mpida", cells, latents, kept, nuisance);
  require_values("mpida", "kept_values", kept, kept_values);
  const auto held = detail::centred_mean_do(cells, kept, options.weights);
  const auto moved = detail::centred_mean_do(cells, both(kept, nuisance), options.weights);
  const Index group = require_group("mpida", held, kept_values);
  double worst = 0.0;
  for (Index c = 0; c < cells.cells(); ++c)
    if (held.of_cell[static_cast<std::size_t>(c)] == group)
      worst = std::max(worst, distance(held.mean.row(group),
                                       moved.mean.row(moved.of_cell[static_cast<std::size_t>(c)]),
                                       latents, options.distance));
  return worst;
}

Empida empida(const FactorCells& cells, const IndexVector& latents, const IndexVector& kept,
              const IndexVector& nuisance, const IrsOptions& options) {
  check("empida", cells, latents, kept, nuisance);
  const auto held = detail::centred_mean_do(cells, kept, options.weights);
  const auto moved = detail::centred_mean_do(cells, both(kept, nuisance), options.weights);
  Vector worst = Vector::Zero(held.mean.rows());
  std::vector<bool> seen(static_cast<std::size_t>(moved.mean.rows()));
  for (std::size_t c = 0; c < held.of_cell.size(); ++c) {
    const Index to = moved.of_cell[c], from = held.of_cell[c];
    if (seen[static_cast<std::size_t>(to)]) continue;  // a finer group lies in one coarser group
    seen[static_cast<std::size_t>(to)] = true;
    worst[from] = std::max(
        worst[from], distance(held.mean.row(from), moved.mean.row(to), latents, options.distance));
  }
  const double average = options.average == OuterAverage::kUniform
                             ? worst.mean()
                             : worst.dot(held.samples) / static_cast<double>(cells.samples);
  return {average, std::min({1.0, held.coverage.minCoeff(), moved.coverage.minCoeff()})};
}

Irs irs(const FactorCells& cells, const IndexVector& latents, const IndexVector& kept,
        const IndexVector& nuisance, const IrsOptions& options) {
  check("irs", cells, latents, kept, nuisance);
  const Empida above = empida(cells, latents, kept, nuisance, options);
  const Empida below =
      empida(cells, latents, {}, detail::complement({}, cells.factors()),
             {InterventionWeights::kSelfNormalised, options.average, options.distance});
  Irs out{std::nullopt, above.value, below.value, above.coverage};
  if (below.value > 0.0) out.value = 1.0 - above.value / below.value;
  return out;
}

Irs domain_shift_robustness(const FactorCells& cells, const IndexVector& latents,
                            const IndexVector& domain, const IrsOptions& options) {
  require_domain("domain_shift_robustness", cells, domain);
  return irs(cells, latents, detail::complement(domain, cells.factors()), domain, options);
}

double domain_coverage(const FactorCells& cells, const IndexVector& domain) {
  require_domain("domain_coverage", cells, domain);
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
