// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/correlation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "numerics/statistics/correlation.h"
#include "numerics/statistics/distributions.h"
#include "numerics/statistics/moments.h"
#include "numerics/statistics/rubin_pooling.h"
#include "numerics/to_vector.h"
#include "results/boards/parts.h"
#include "results/boards/run_metrics.h"
#include "results/boards/scores.h"

namespace conoscope::results {

namespace {

using Seeds = std::map<std::int64_t, double>;
/// dataset, then model and explainer
using Subjects = std::map<std::string, std::map<std::pair<std::string, std::string>, Seeds>>;

Subjects read(Store& store, const BoardOptions& options, const std::string& metric) {
  require_asked(store, options.run, metric);
  ScoreFilter wanted;
  wanted.run = options.run;
  wanted.dataset = options.dataset;
  wanted.model = options.model;
  wanted.explainer = options.explainer;
  wanted.metric = metric;
  Subjects out;
  for (const auto& score : current_scores(store, wanted))
    out[score.dataset][{score.model, score.explainer}][score.seed] = score.value;
  return out;
}

struct MeanAndError {
  std::vector<double> means, errors;
  void add(const std::vector<double>& values) {
    means.push_back(numerics::mean(values));
    errors.push_back(numerics::standard_error(values));
  }
};

void correlate(const MeanAndError& x, const MeanAndError& y, CorrelationRow& row) {
  if (x.means.size() < 4) {
    row.message = "fewer than four subjects";
    return;
  }
  numerics::MonteCarloOptions options;
  options.clip_at_zero = false;
  try {
    const auto [r, z] = numerics::monte_carlo_correlation(
        numerics::to_vector(x.means), numerics::to_vector(x.errors), numerics::to_vector(y.means),
        numerics::to_vector(y.errors), options);
    const double half = numerics::student_two_sided_quantile(0.95, z.dof) * std::sqrt(z.total);
    row.found = PooledCorrelation{.r = r,
                                  .low = std::tanh(z.mean - half),
                                  .high = std::tanh(z.mean + half),
                                  .dof = z.dof,
                                  .p = z.p,
                                  .p_large = z.p_large};
  } catch (const std::domain_error& error) {
    row.message = error.what();
  }
}

/// The largest value of each of n rows; not a number where it has none.
std::vector<double> row_maxima(const std::map<std::int64_t, double>& parts, std::size_t n) {
  std::vector<double> out(n, std::numeric_limits<double>::quiet_NaN());
  const std::size_t width = parts.size() / n;
  std::size_t place = 0;
  for (const auto& [part, value] : parts) {
    double& largest = out[place++ / width];
    largest = std::fmax(largest, value);
  }
  return out;
}

}  // namespace

std::vector<CorrelationRow> correlations(Store& store, const BoardOptions& options,
                                         const std::string& with) {
  const Subjects targets = read(store, options, with);
  std::vector<CorrelationRow> out;
  for (const auto& metric : options.metrics)
    for (const auto& [dataset, subjects] : read(store, options, metric)) {
      const auto by_dataset = targets.find(dataset);
      if (by_dataset == targets.end()) continue;
      MeanAndError x, y;
      for (const auto& [subject, seeds] : subjects) {
        const auto target = by_dataset->second.find(subject);
        if (target == by_dataset->second.end()) continue;
        std::vector<double> of_metric, of_target;
        for (const auto& [seed, value] : seeds)
          if (const auto other = target->second.find(seed); other != target->second.end()) {
            of_metric.push_back(value);
            of_target.push_back(other->second);
          }
        if (of_metric.size() < 2) continue;
        x.add(of_metric);
        y.add(of_target);
      }
      if (x.means.empty()) continue;
      out.push_back({dataset, metric, static_cast<std::int64_t>(x.means.size()), {}, {}});
      correlate(x, y, out.back());
    }
  return out;
}

Table correlation_table(Store& store, const BoardOptions& options, const std::string& with) {
  Table out;
  out.columns = {Column::text("dataset"),        Column::text("metric"), Column::text("with"),
                 Column::integer("subjects"),    Column::real("r"),      Column::real("low"),
                 Column::real("high"),           Column::real("dof"),    Column::real("p"),
                 Column::real("p_large_sample"), Column::text("message")};
  for (const auto& row : correlations(store, options, with)) {
    const auto field = [&row](double PooledCorrelation::*value) -> Field {
      if (!row.found) return {};
      return (*row.found).*value;
    };
    out.add({row.dataset, row.metric, with, row.subjects, field(&PooledCorrelation::r),
             field(&PooledCorrelation::low), field(&PooledCorrelation::high),
             field(&PooledCorrelation::dof), field(&PooledCorrelation::p),
             field(&PooledCorrelation::p_large), row.message});
  }
  return out;
}

std::map<std::int64_t, double> part_correlations(Store& store, const std::string& run,
                                                 const std::vector<BoardSubject>& subjects,
                                                 const std::string& metric,
                                                 const std::string& with) {
  const auto xs = seed_parts(store, run, metric), ys = seed_parts(store, run, with);
  std::map<std::int64_t, std::pair<std::vector<double>, std::vector<double>>> points;
  std::map<std::int64_t, std::size_t> complete;
  for (const BoardSubject& subject : subjects) {
    const auto x = xs.find(subject), y = ys.find(subject);
    if (x == xs.end() || y == ys.end()) return {};
    for (const auto& [seed, of_y] : y->second) {
      const auto of_x = x->second.find(seed);
      if (of_x == x->second.end() || of_x->second.size() % of_y.size() != 0) continue;
      ++complete[seed];
      const std::vector<double> largest = row_maxima(of_x->second, of_y.size());
      std::size_t place = 0;
      for (const auto& [part, value] : of_y) {
        const double other = largest[place++];
        if (std::isnan(other) || std::isnan(value)) continue;
        points[seed].first.push_back(other);
        points[seed].second.push_back(value);
      }
    }
  }
  std::map<std::int64_t, double> out;
  for (const auto& [seed, both] : points) {
    const auto& [x, y] = both;
    const bool varies = x.size() >= 3 && std::ranges::min(x) < std::ranges::max(x) &&
                        std::ranges::min(y) < std::ranges::max(y);
    if (varies && complete[seed] == subjects.size())
      out[seed] = numerics::spearman(numerics::to_vector(x), numerics::to_vector(y)).r;
  }
  return out;
}

}  // namespace conoscope::results
