#include "results/analysis/equal_budget.h"

#include <algorithm>
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
  std::vector<const Sweep*> scores;

  auto group() const { return std::tie(dataset, model); }

  /// The scores of a metric at the K that counts; none: not for every seed.
  const ScoresAtK* at(std::size_t metric) const {
    if (used == nullptr) return nullptr;
    for (const ScoresAtK& point : scores[metric]->points)
      if (point.k == used->k && point.complete()) return &point;
    return nullptr;
  }
  /// Smaller is better; none: no rank.
  std::optional<double> order() const {
    const std::string& direction = scores.front()->direction;
    const ScoresAtK* point = at(0);
    if (point == nullptr || direction == "none") return std::nullopt;
    const double mean = point->estimate().mean;
    return direction == "higher" ? -mean : mean;
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

}  // namespace

Table equal_budget_table(const std::vector<Sweep>& used, const std::vector<Sweep>& scores,
                         double budget) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<const Sweep*>> found;
  for (const Sweep& sweep : scores)
    found[{std::get<std::string>(sweep.dataset), std::get<std::string>(sweep.model), sweep.method}]
        .push_back(&sweep);
  Table table;
  table.columns = {{"rank", ColumnType::kInteger},
                   {"dataset"},
                   {"model"},
                   {"method"},
                   {"k", ColumnType::kInteger},
                   {.name = "used", .type = ColumnType::kEstimate, .messages = true}};
  std::vector<Entry> entries;
  for (const Sweep& sweep : used) {
    Entry entry = entry_of(sweep, budget);
    entry.scores = found[{entry.dataset, entry.model, entry.method}];
    if (!entry.scores.empty()) entries.push_back(std::move(entry));
  }
  if (entries.empty()) return table;
  const std::size_t metrics = entries.front().scores.size();
  for (const Sweep* sweep : entries.front().scores)
    table.columns.push_back({sweep->metric, ColumnType::kEstimate});

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
    for (std::size_t m = 0; m < metrics; ++m) {
      const ScoresAtK* point = entry.at(m);
      row.push_back(point == nullptr ? Field() : Field(point->estimate()));
    }
    table.add(std::move(row));
  }
  return table;
}

}  // namespace conoscope::results
