#include "harness/app/print_sanity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <map>
#include <optional>
#include <utility>

#include "harness/app/command.h"
#include "harness/app/metric_order.h"
#include "metrics/catalogue.h"
#include "results/board.h"

namespace conoscope::app {

namespace {

constexpr std::array<const char*, 3> kSettings = {"perfect", "random_importance",
                                                  "random_concepts"};
constexpr double kRounding = 1e-9;

using Means = std::array<std::optional<double>, kSettings.size()>;
using Subject = std::pair<std::string, std::string>;  // dataset, model

std::string verdict(const std::string& metric, const Means& means) {
  const auto* info = metrics::catalogue().metric(metric);
  if (info == nullptr || !can_be_judged(metric)) return "";
  if (!means[0] || !means[1] || !means[2]) return "";
  const double sign = info->direction == metrics::Direction::kLower ? 1.0 : -1.0;
  double scale = 1.0;
  for (const auto& mean : means) scale = std::max(scale, std::abs(*mean));
  const auto worse = [&](int better, int other) {
    const auto i = static_cast<std::size_t>(better), j = static_cast<std::size_t>(other);
    return sign * (*means[j] - *means[i]) > kRounding * scale;
  };
  if (worse(0, 1) && worse(1, 2)) return "pass";
  if (std::abs(*means[0] - *means[1]) <= kRounding * scale) return "fail: blind to importances";
  return worse(0, 1) ? "fail: random concepts are not worse"
                     : "fail: random importances are not worse";
}

}  // namespace

void print_sanity(results::Store& store, const std::string& run, std::vector<std::string> metrics,
                  results::Format format) {
  if (metrics.empty()) metrics = store.run_metrics(run);
  const std::vector<std::string> ordered = in_catalogue_order(metrics);
  if (ordered.empty()) throw UsageError("board --sanity: the run asks for no metric");

  std::map<Subject, std::map<std::string, Means>> found;
  for (std::size_t setting = 0; setting < kSettings.size(); ++setting) {
    results::BoardOptions options;
    options.run = run;
    options.metrics = ordered;
    options.explainer = kSettings[setting];
    const results::Table table = results::board(store, options);
    if (table.rows.empty())
      throw UsageError(std::string("board --sanity: the run has no explainer ") +
                       kSettings[setting] + "; `conoscope run sanity.toml` has all three");
    for (const auto& row : table.rows)
      for (std::size_t column = 0; column < row.size(); ++column)
        if (const auto* estimate = std::get_if<results::Estimate>(&row[column]))
          found[{std::get<std::string>(row[1]), std::get<std::string>(row[2])}]
               [table.columns[column].name][setting] = estimate->mean;
  }

  results::Table out;
  // One subject needs no name in every row.
  const bool several = found.size() > 1;
  if (several) out.columns = {{"dataset"}, {"model"}};
  out.columns.insert(out.columns.end(), {{"measure"},
                                         {"better"},
                                         {"Perfect", results::ColumnType::real},
                                         {"Rand Imp", results::ColumnType::real},
                                         {"Full Rand", results::ColumnType::real},
                                         {"verdict"}});
  const auto field = [](const std::optional<double>& mean) -> results::Field {
    return mean ? results::Field(*mean) : results::Field();
  };
  for (const auto& [subject, by_metric] : found)
    for (const auto& name : ordered) {
      const auto it = by_metric.find(name);
      if (it == by_metric.end()) continue;  // not applicable to this model
      const auto* info = metrics::catalogue().metric(name);
      const Means& means = it->second;
      const std::string said = verdict(name, means);
      std::vector<results::Field> row;
      if (several) row = {subject.first, subject.second};
      row.emplace_back(name);
      row.emplace_back(std::string(info ? metrics::to_string(info->direction) : ""));
      for (const auto& mean : means) row.push_back(field(mean));
      row.push_back(said.empty() ? results::Field() : results::Field(said));
      out.add(std::move(row));
    }
  std::cout << results::to_text(out, format);
}

}  // namespace conoscope::app
