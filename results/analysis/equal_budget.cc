// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/equal_budget.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "results/formats/numbers.h"

namespace conoscope::results {

namespace {

struct Entry {
  std::string dataset, model, method;
  const ScoresAtK* used = nullptr;  ///< none: the budget is below every K
  double smallest = 0;
  std::vector<const Sweep*> scores;  ///< one for each metric; nullptr: it was not asked for

  auto group() const { return std::tie(dataset, model); }

  /// The scores of a metric at the K that counts; none: not for every seed.
  const ScoresAtK* at(std::size_t metric) const {
    if (used == nullptr || scores[metric] == nullptr) return nullptr;
    for (const ScoresAtK& point : scores[metric]->points)
      if (point.k == used->k && point.complete()) return &point;
    return nullptr;
  }
  /// Smaller is better; none: no rank.
  std::optional<double> order() const {
    const ScoresAtK* point = at(0);
    if (point == nullptr || scores[0]->direction == "none") return std::nullopt;
    const double mean = point->estimate().mean;
    return scores[0]->direction == "higher" ? -mean : mean;
  }
};

Entry entry_of(const Sweep& used, double budget) {
  Entry entry{std::get<std::string>(used.dataset),
              std::get<std::string>(used.model),
              used.method,
              nullptr,
              0,
              {}};
  double most = 0;
  bool any = false;
  for (const ScoresAtK& point : used.points) {
    if (!point.complete()) continue;
    const double mean = point.estimate().mean;
    entry.smallest = any ? std::min(entry.smallest, mean) : mean;
    any = true;
    if (mean > budget || (entry.used != nullptr && mean <= most)) continue;
    entry.used = &point;
    most = mean;
  }
  return entry;
}

/// Those that any of the sweeps has, in the order as asked.
std::vector<std::string> metrics_with_scores(const std::vector<std::string>& asked,
                                             const std::vector<Sweep>& scores) {
  std::vector<std::string> out;
  std::ranges::copy_if(asked, std::back_inserter(out), [&scores](const std::string& metric) {
    return std::ranges::find(scores, metric, &Sweep::metric) != scores.end();
  });
  return out;
}

/// The methods that have any of the metrics.
std::vector<Entry> entries_of(const std::vector<Sweep>& used, const std::vector<Sweep>& scores,
                              const std::vector<std::string>& metrics, double budget) {
  // Runs may have asked for different metrics: what a method lacks must not shift the others.
  std::map<std::tuple<std::string, std::string, std::string>, std::map<std::string, const Sweep*>>
      found;
  for (const Sweep& sweep : scores)
    found[{std::get<std::string>(sweep.dataset), std::get<std::string>(sweep.model), sweep.method}]
         [sweep.metric] = &sweep;
  std::vector<Entry> out;
  for (const Sweep& sweep : used) {
    Entry entry = entry_of(sweep, budget);
    const auto of_method = found.find({entry.dataset, entry.model, entry.method});
    if (of_method == found.end()) continue;
    for (const std::string& metric : metrics) {
      const auto it = of_method->second.find(metric);
      entry.scores.push_back(it == of_method->second.end() ? nullptr : it->second);
    }
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace

Table equal_budget_table(const std::vector<Sweep>& used, const std::vector<Sweep>& scores,
                         const std::vector<std::string>& asked, double budget) {
  Table table;
  table.columns = {{"rank", ColumnType::kInteger},
                   {"dataset"},
                   {"model"},
                   {"method"},
                   {"k", ColumnType::kInteger},
                   {.name = "used", .type = ColumnType::kEstimate, .messages = true}};
  const auto metrics = metrics_with_scores(asked, scores);
  std::vector<Entry> entries = entries_of(used, scores, metrics, budget);
  if (entries.empty()) return table;
  for (const std::string& metric : metrics)
    table.columns.push_back({metric, ColumnType::kEstimate});

  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    if (a.group() != b.group()) return a.group() < b.group();
    const auto left = a.order(), right = b.order();
    if (left && right) return *left < *right;
    return left.has_value() && !right.has_value();
  });
  std::int64_t place = 0, rank = 0;
  const Entry* before = nullptr;
  for (const Entry& entry : entries) {
    if (before == nullptr || before->group() != entry.group()) place = rank = 0;
    ++place;
    const auto order = entry.order();
    if (place == 1 || before->order() != order) rank = place;
    before = &entry;
    std::vector<Field> row = {order ? Field(rank) : Field(), entry.dataset, entry.model,
                              entry.method};
    if (entry.used != nullptr) {
      row.emplace_back(entry.used->k);
      row.emplace_back(entry.used->estimate());
    } else {
      Estimate none;
      none.messages = {entry.method + " uses " + digits_text(entry.smallest, 4) +
                       " or more, at every K"};
      row.emplace_back();
      row.emplace_back(none);
    }
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      const ScoresAtK* point = entry.at(m);
      row.push_back(point == nullptr ? Field() : Field(point->estimate()));
    }
    table.add(std::move(row));
  }
  return table;
}

}  // namespace conoscope::results
