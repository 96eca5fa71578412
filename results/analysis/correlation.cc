#include "results/analysis/correlation.h"

#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "numerics/statistics/moments.h"
#include "numerics/statistics/rubin_pooling.h"
#include "numerics/to_vector.h"
#include "results/boards/asked.h"
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

std::optional<numerics::PooledCorrelation> correlate(const MeanAndError& x, const MeanAndError& y) {
  if (x.means.size() < 4) return std::nullopt;
  numerics::MonteCarloOptions options;
  options.clip_at_zero = false;
  try {
    return numerics::monte_carlo_correlation(
        numerics::to_vector(x.means), numerics::to_vector(x.errors), numerics::to_vector(y.means),
        numerics::to_vector(y.errors), options);
  } catch (const std::domain_error&) {  // all equal
    return std::nullopt;
  }
}

}  // namespace

Table correlation_table(Store& store, const BoardOptions& options, const std::string& with) {
  const Subjects targets = read(store, options, with);
  Table out;
  out.columns = {{"dataset"},
                 {"metric"},
                 {"with"},
                 {"subjects", ColumnType::integer},
                 {"r", ColumnType::real},
                 {"dof", ColumnType::real},
                 {"p", ColumnType::real},
                 {"p_large_sample", ColumnType::real}};
  for (const auto& metric : options.metrics) {
    const Subjects found = read(store, options, metric);
    for (const auto& [dataset, subjects] : found) {
      MeanAndError x, y;
      for (const auto& [subject, seeds] : subjects) {
        const auto by_dataset = targets.find(dataset);
        if (by_dataset == targets.end()) continue;
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
      const auto pooled = correlate(x, y);
      const auto field = [&](auto value) -> Field {
        if (!pooled) return {};
        return value(*pooled);
      };
      out.add({dataset, metric, with, static_cast<std::int64_t>(x.means.size()),
               field([](const auto& p) { return p.r_mean; }),
               field([](const auto& p) { return p.z.dof; }),
               field([](const auto& p) { return p.z.p; }),
               field([](const auto& p) { return p.z.p_large; })});
    }
  }
  return out;
}

}  // namespace conoscope::results
