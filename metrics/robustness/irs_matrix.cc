// SPDX-License-Identifier: Apache-2.0
#include "metrics/robustness/irs_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "metrics/caveat.h"
#include "metrics/factors/equal_width_bins.h"
#include "metrics/factors/latent_factors.h"
#include "metrics/left_out.h"
#include "metrics/metric.h"
#include "metrics/robustness/crossed_grid.h"
#include "metrics/robustness/irs_groups.h"
#include "metrics/robustness/irs_sample.h"
#include "numerics/checks.h"
#include "numerics/to_vector.h"

namespace conoscope::metrics {

namespace {

// With a tenth of the combinations missing a code that is the domain factor gets 0.07, not 0; with
// half of them 0.4.
constexpr double kLeastDomainCoverage = 0.9;
/// The part of a constant latent.
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void require_two_factors(Index factors) {
  if (factors < 2)
    numerics::refuse("irs_matrix", "factors has " + std::to_string(factors) +
                                       " columns; needs at least 2, one to keep and one to change");
}

/// R, D, i* and the score from EMPIDA and the normalisers, which are 0 for constant latents.
void conclude(IrsMatrix& out) {
  const Index latents = out.empida.rows(), factors = out.empida.cols();
  out.irs = Matrix::Zero(latents, factors);
  out.disentanglement = Vector::Zero(latents);
  out.parent.assign(static_cast<std::size_t>(latents), -1);
  double weighted = 0.0, weights = 0.0;
  for (Index l = 0; l < latents; ++l) {
    if (!(out.normaliser[l] > 0.0)) continue;
    ++out.active;
    out.irs.row(l) = 1.0 - out.empida.row(l).array() / out.normaliser[l];
    out.disentanglement[l] = out.irs.row(l).maxCoeff(&out.parent[static_cast<std::size_t>(l)]);
    weighted += out.normaliser[l] * out.disentanglement[l];
    weights += out.normaliser[l];
  }
  out.score = weights > 0.0 ? weighted / weights : 0.0;
}

IrsMatrix from_grid(const MatrixRef& codes, const IndexVector& extents) {
  const detail::GridExtremes extremes = detail::grid_extremes(codes, extents);
  if (!numerics::all_finite(extremes.sum)) numerics::require_finite("irs_matrix", "codes", codes);
  const Index latents = codes.cols(), n = codes.rows();
  IrsMatrix out;
  out.empida.resize(latents, static_cast<Index>(extents.size()));
  out.normaliser.resize(latents);
  const auto deviation = [](double mean, double low, double high) {
    return low == high ? 0.0 : std::max(high - mean, mean - low);  // a mean of equals may round
  };
  for (Index l = 0; l < latents; ++l) {
    // Every factor's rows cover all samples; the shortest list of sums will do.
    const double total = extremes.sum.col(l).head(extents[0]).sum();
    out.normaliser[l] = deviation(total / static_cast<double>(n), extremes.low.col(l).minCoeff(),
                                  extremes.high.col(l).maxCoeff());
    for (std::size_t k = 0; k < extents.size(); ++k) {
      const double share = static_cast<double>(extents[k]);
      double sum = 0.0;
      for (Index v = 0; v < extents[k]; ++v) {
        const Index row = extremes.first_row[k] + v;
        sum += deviation(extremes.sum(row, l) * share / static_cast<double>(n),
                         extremes.low(row, l), extremes.high(row, l));
      }
      out.empida(l, static_cast<Index>(k)) = sum / share;
    }
  }
  conclude(out);
  return out;
}

/// numpy's quantile: linear between order statistics at h = q (n - 1). Reorders its argument.
double quantile(std::vector<double>& values, double q) {
  const double h = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::ptrdiff_t>(h);
  std::nth_element(values.begin(), values.begin() + low, values.end());
  const double below = values[static_cast<std::size_t>(low)];
  if (low + 1 == static_cast<std::ptrdiff_t>(values.size())) return below;
  const double above = *std::min_element(values.begin() + low + 1, values.end());
  return below + (above - below) * (h - static_cast<double>(low));
}

}  // namespace

IrsMatrix irs_matrix(const FactorCells& cells, const IrsOptions& options) {
  require_two_factors(cells.factors());
  const Index latents = cells.latents(), factors = cells.factors();
  IrsMatrix out;
  out.empida = Matrix::Zero(latents, factors);
  const auto overall = detail::centred_mean_do(cells, {}, InterventionWeights::kSelfNormalised);
  // All factors set: the mean is the cell's own, its coverage 1.
  out.normaliser =
      (cells.centred_mean.rowwise() - overall.mean.row(0)).cwiseAbs().colwise().maxCoeff();
  for (Index i = 0; i < factors; ++i) {
    const auto held = detail::centred_mean_do(cells, {i}, options.weights);
    Matrix worst = Matrix::Zero(held.mean.rows(), latents);
    for (Index c = 0; c < cells.cells(); ++c) {
      const Index group = held.of_cell[static_cast<std::size_t>(c)];
      worst.row(group) =
          worst.row(group).cwiseMax((held.mean.row(group) - cells.centred_mean.row(c)).cwiseAbs());
    }
    if (options.average == OuterAverage::kUniform)
      out.empida.col(i) = worst.colwise().mean();
    else
      out.empida.col(i) = worst.transpose() * held.samples / static_cast<double>(cells.samples);
    out.coverage = std::min(out.coverage, held.coverage.minCoeff());
  }
  conclude(out);
  return out;
}

IrsMatrix irs_matrix(const MatrixRef& codes, const MatrixRef& factors, const IrsOptions& options) {
  require_two_factors(factors.cols());
  // On a full grid all weights are equal, so neither option of the estimator matters.
  if (codes.rows() == factors.rows() && codes.cols() > 0)
    if (const auto extents = detail::crossed_grid(factors)) return from_grid(codes, *extents);
  return irs_matrix(factor_cells(codes, factors), options);
}

IrsMatrix irs_quantile(const MatrixRef& codes, const MatrixRef& factors,
                       const IrsQuantileOptions& options) {
  constexpr const char* kName = "irs_quantile";
  if (!(options.quantile >= 0.0 && options.quantile <= 1.0))
    numerics::refuse(kName,
                     "quantile is " + std::to_string(options.quantile) + "; needs to be in [0, 1]");
  if (options.bins < 0)
    numerics::refuse(kName, "bins is " + std::to_string(options.bins) + "; needs to be >= 0");
  if (codes.rows() < 1 || codes.cols() < 1 || codes.rows() != factors.rows())
    numerics::refuse(kName, "codes has " + std::to_string(codes.rows()) + " rows and " +
                                std::to_string(codes.cols()) + " columns, factors has " +
                                std::to_string(factors.rows()) + " rows");
  numerics::require_finite(kName, "codes", codes);
  numerics::require_finite(kName, "factors", factors);
  const FactorLevels levels =
      options.bins > 0
          ? factor_levels(kName, equal_width_bins(factors, options.bins).cast<double>())
          : factor_levels(kName, factors);
  const Index n = codes.rows(), latents = codes.cols();
  IrsMatrix out;
  out.empida = Matrix::Zero(latents, levels.factors());
  out.normaliser = Vector::Zero(latents);
  std::vector<double> deviations;
  for (Index l = 0; l < latents; ++l) {
    const Vector z = codes.col(l);
    if ((z.array() == z[0]).all()) continue;
    out.normaliser[l] = (z.array() - z.mean()).abs().maxCoeff();
    for (Index k = 0; k < levels.factors(); ++k) {
      const auto& level = levels.levels[static_cast<std::size_t>(k)];
      const std::size_t values = levels.values[static_cast<std::size_t>(k)].size();
      std::vector<std::vector<double>> groups(values);
      for (Index i = 0; i < n; ++i)
        groups[static_cast<std::size_t>(level[static_cast<std::size_t>(i)])].push_back(z[i]);
      double sum = 0.0;
      for (const auto& group : groups) {
        const double mean = numerics::to_vector(group).mean();
        deviations.clear();
        for (const double value : group) deviations.push_back(std::abs(value - mean));
        sum += quantile(deviations, options.quantile);
      }
      out.empida(l, k) = sum / static_cast<double>(values);
    }
  }
  conclude(out);
  return out;
}

namespace {

IrsMatrix irs_of(const Subject& subject) {
  const LatentFactors& from = irs_factors(subject);
  return irs_matrix(from.codes, from.binned);
}

const IrsMatrix& active_irs(const Subject& subject) {
  const IrsMatrix& found = subject.once(irs_of);
  if (found.active == 0) throw std::domain_error("all latents are constant");
  return found;
}

Result score_of(const Subject& subject) {
  const IrsMatrix& found = active_irs(subject);
  Result result{found.score};
  for (Index l = 0; l < found.irs.rows(); ++l) {
    Vector of_latent = found.irs.row(l);
    if (!found.defined(l)) of_latent.setConstant(kNone);
    const auto all = with_gaps({of_latent.data(), static_cast<std::size_t>(of_latent.size())},
                               irs_factors(subject).constant);
    result.parts.insert(result.parts.end(), all.begin(), all.end());
  }
  return result;
}

Result quantile_of(const Subject& subject) {
  active_irs(subject);
  const LatentFactors& from = irs_factors(subject);
  const IrsMatrix found = irs_quantile(from.codes, from.factors);
  Result result{found.score};
  for (Index l = 0; l < found.irs.rows(); ++l)
    result.parts.push_back(found.defined(l) ? found.disentanglement[l] : kNone);
  return result;
}

Result domain_coverage_of(const Subject& subject) {
  const FactorCells& cells = subject.once(irs_cells);
  Result result;
  for (Index k = 0; k < cells.factors(); ++k) result.parts.push_back(domain_coverage(cells, {k}));
  result.value = *std::min_element(result.parts.begin(), result.parts.end());
  result.parts = with_gaps(result.parts, irs_factors(subject).constant);
  return result;
}

void require_domains(double coverage, const std::string& of) {
  if (coverage < kLeastDomainCoverage)
    throw std::domain_error("of the values of " + of + " only " +
                            std::to_string(std::lround(100.0 * coverage)) +
                            " % occur where all others are held; below " +
                            std::to_string(std::lround(100.0 * kLeastDomainCoverage)) +
                            " % the score says little of the code");
}

Result domain_shift_of(const Subject& subject) {
  active_irs(subject);
  require_domains(subject.once(domain_coverage_of).value, "some factor");
  const FactorCells& cells = subject.once(irs_cells);
  const IndexVector all = detail::complement({}, cells.latents());
  std::vector<double> by_factor;
  for (Index k = 0; k < cells.factors(); ++k)
    by_factor.push_back(domain_shift_robustness(cells, all, {k}).value.value());
  return {*std::min_element(by_factor.begin(), by_factor.end()),
          with_gaps(by_factor, irs_factors(subject).constant)};
}

/// Several factors tell the domain, or a chosen one.
Result domain_shift_with(const Subject& subject, const std::vector<Setting>& settings) {
  active_irs(subject);
  const FactorCells& cells = subject.once(irs_cells);
  const IndexVector domain = chosen_factors(subject, settings[0]);
  if (static_cast<Index>(domain.size()) == cells.factors())
    throw NotApplicable("domain: no factor is left to hold");
  require_domains(domain_coverage(cells, domain), "the domain");
  return {domain_shift_robustness(cells, detail::complement({}, cells.latents()), domain)
              .value.value()};
}

Result with_caveats(const Subject& subject, Direction direction, Result result) {
  result.caveat = irs_factors(subject).caveat;
  if (direction != Direction::kNone)
    add_note(result.caveat, coverage_caveat(subject, active_irs(subject).coverage, "irs_coverage"));
  return result;
}

}  // namespace

std::vector<Metric> declare::irs_matrix() {
  constexpr std::string_view kPaper = "Suter et al., ICML 2019, Sec. 4 and Algorithm 1";
  const auto row = [](const char* name, const char* question, Direction direction, double low,
                      double high, std::string_view parts, std::string_view source,
                      Result (*compute)(const Subject&)) {
    return Metric{
        .name = name,
        .group = "irs",
        .question = question,
        .direction = direction,
        .low = low,
        .high = high,
        .source = source,
        .needs = {"latent_view", "factors"},
        .parts = parts,
        .compute =
            [compute, direction](const Subject& subject) {
              return with_caveats(subject, direction, compute(subject));
            },
    };
  };
  Metric shift =
      row("irs_domain_shift", "How much of the code survives a change of the single worst factor?",
          Direction::kHigher, -1.0, 1.0, "factor",
          "Suter et al., ICML 2019, robustness to domain shift", domain_shift_of);
  shift.settings = {{.name = "domain", .unnamed = "each factor by itself", .is_choice = true}};
  shift.compute_with = [](const Subject& subject, const std::vector<Setting>& settings) {
    return with_caveats(subject, Direction::kHigher, domain_shift_with(subject, settings));
  };
  return {
      row("irs_score", "Does each latent keep its value when all factors but its own change?",
          Direction::kHigher, -1.0, 1.0, "code x factor", kPaper, score_of),
      row("irs_coverage",
          "What part of the factor combinations that irs_score averages over occurs in the data?",
          Direction::kNone, 0.0, 1.0, "", "Suter et al., ICML 2019, Eq. 7: the sum of its weights",
          [](const Subject& subject) -> Result { return {active_irs(subject).coverage}; }),
      row("irs_quantile",
          "Does each latent keep its value, by the 99th percentile of its deviations, when all "
          "factors but its own change?",
          Direction::kHigher, -1.0, 1.0, "code",
          "google-research/disentanglement_lib, irs; Suter et al., 2019", quantile_of),
      shift,
      row("irs_domain_shift_coverage",
          "What part of a factor's values occurs with each combination of the others, for the "
          "factor where this is least?",
          Direction::kNone, 0.0, 1.0, "factor",
          "missing combinations let irs_domain_shift tend to 1", domain_coverage_of),
      row("irs_active_latents", "How many latents are not constant?", Direction::kNone, 0.0,
          kUnbounded, "", kPaper,
          [](const Subject& subject) -> Result {
            return {static_cast<double>(subject.once(irs_of).active)};
          }),
  };
}

}  // namespace conoscope::metrics
