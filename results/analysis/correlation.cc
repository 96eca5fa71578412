#include "results/analysis/correlation.h"

#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "numerics/statistics/distributions.h"
#include "numerics/statistics/moments.h"
#include "numerics/statistics/rubin_pooling.h"
#include "numerics/to_vector.h"
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

}  // namespace conoscope::results
