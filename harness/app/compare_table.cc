// SPDX-License-Identifier: Apache-2.0
#include "harness/app/compare_table.h"

#include <algorithm>
#include <boost/algorithm/string/join.hpp>
#include <utility>

#include "harness/app/command.h"
#include "harness/app/leakage_criterion.h"
#include "harness/core/names.h"
#include "metrics/catalogue.h"
#include "metrics/peer_metric.h"

namespace conoscope::app {

namespace {

/// Two versions may share a name: then it does not say which scores belong together.
void require_distinct(const std::vector<results::CurrentScore>& scores, const Side& side) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> keys;
  for (const auto& score : scores) {
    keys[{"dataset", score.dataset}].insert(score.dataset_key);
    keys[{"model", score.model}].insert(score.model_key);
    keys[{"explainer", score.explainer}].insert(score.explainer_key);
  }
  for (const auto& [what, of] : keys) {
    const auto& [kind, name] = what;
    if (of.size() < 2 || kind == side.kind) continue;
    std::vector<std::string> short_keys;
    for (const std::string& key : of) short_keys.push_back(short_key(key));
    throw UsageError("compare: " + side.kind + " " + side.name + " has " +
                     std::to_string(of.size()) + " of the name " + kind + " " + name +
                     ", of other versions or parameters; keep one by its key: --" + kind + " " +
                     short_keys.front() + " (there are " +
                     boost::algorithm::join(short_keys, ", ") + ")");
  }
}

std::vector<results::Column> comparison_columns(const std::vector<std::string>& shared, bool paired,
                                                const std::string& correction) {
  using results::ColumnType;
  std::vector<results::Column> columns = {{"metric"}};
  for (const std::string& part : shared) columns.push_back({part});
  columns.push_back({"better"});
  if (paired)
    columns.push_back({"pairs", ColumnType::kInteger});
  else
    columns.insert(columns.end(), {{"n_a", ColumnType::kInteger}, {"n_b", ColumnType::kInteger}});
  for (const char* name : {"a", "b", "difference", "low", "high", "p"})
    columns.push_back({name, ColumnType::kReal});
  if (correction != "none") columns.push_back({"p_" + correction, ColumnType::kReal});
  if (paired)
    columns.insert(columns.end(),
                   {{"detectable", ColumnType::kReal}, {"needed", ColumnType::kInteger}});
  columns.push_back({"verdict"});
  return columns;
}

}  // namespace

WantedMetrics::WantedMetrics(const std::vector<std::string>& words,
                             const std::set<std::string>& known) {
  const auto& catalogue = metrics::catalogue();
  for (const auto& word : words) {
    auto& names = names_[word];
    for (const auto* info : catalogue.select(word)) names.emplace(info->name);
    if (known.contains(word)) names.insert(word);
    if (!names.empty()) continue;
    if (const auto settings = catalogue.settings_text(word); !settings.empty())
      throw UsageError("compare: no metric " + word + ": " + settings);
    std::vector<std::string> all(known.begin(), known.end());
    for (const auto& group : catalogue.groups()) all.emplace_back(group);
    for (const auto& metric : catalogue.metrics()) all.push_back(metric.name);
    throw UsageError("compare: no metric or group " + word +
                     core::did_you_mean(word, all, "conoscope metric"));
  }
}

bool WantedMetrics::operator()(const results::CurrentScore& score) const {
  if (names_.empty()) return score.direction != "none";
  return std::ranges::any_of(names_,
                             [&](const auto& word) { return word.second.contains(score.metric); });
}

std::vector<std::string> WantedMetrics::without(const std::set<std::string>& metrics) const {
  std::vector<std::string> out;
  for (const auto& [word, names] : names_)
    if (std::ranges::none_of(names, [&](const auto& name) { return metrics.contains(name); }))
      out.push_back(word);
  return out;
}

Arranged arrange(std::vector<results::CurrentScore> scores, const Side& side,
                 const WantedMetrics& wanted, bool pooled) {
  require_distinct(scores, side);
  std::stable_sort(scores.begin(), scores.end(), [](const auto& x, const auto& y) {
    return metrics::catalogue().place(x.metric) < metrics::catalogue().place(y.metric);
  });
  Arranged out;
  for (const auto& score : scores) {
    if (side.kind != "metric" && !wanted(score)) continue;
    std::string names, partner;
    for (const std::string& part : shared_by(side.kind)) {
      const std::string& name = part == "dataset" ? score.dataset
                                : part == "model" ? score.model
                                                  : score.explainer;
      (pooled ? partner : names) += pooled ? part + " " + name + ", " : kBetween + name;
    }
    if (score.control != "none") partner += "control " + score.control + ", ";
    partner += "seed " + std::to_string(score.seed);
    std::string row = (side.kind == "metric" ? "" : score.metric) + names;
    out.directions[row] = score.direction;
    const bool of_model = score.explainer_key.empty();
    if (!pooled && side.kind == (of_model ? "model" : "explainer"))
      out.contests[row] = {score.dataset_key, of_model ? "" : score.model_key};
    out.numbers.push_back({std::move(row), std::move(partner), score.value, score.dataset,
                           score.control + names, !pooled && metrics::is_over_seeds(score.metric)});
  }
  return out;
}

void call_alike(const std::vector<results::CurrentScore>& a,
                std::vector<results::CurrentScore>& b) {
  std::map<std::string, std::string> names;
  for (const auto& score : a)
    for (const auto& [key, name] : {std::pair(&score.dataset_key, &score.dataset),
                                    {&score.model_key, &score.model},
                                    {&score.explainer_key, &score.explainer}})
      names[*key] = *name;
  for (auto& score : b)
    for (const auto& [key, name] : {std::pair(&score.dataset_key, &score.dataset),
                                    {&score.model_key, &score.model},
                                    {&score.explainer_key, &score.explainer}})
      if (const auto it = names.find(*key); it != names.end()) *name = it->second;
}

results::Table comparison_table(const results::Comparison& comparison, const Arranged& a,
                                const Arranged& b, const std::string& metric_pair,
                                const std::vector<std::string>& shared, bool paired,
                                const std::string& correction) {
  results::Table table;
  table.columns = comparison_columns(shared, paired, correction);
  for (const auto& row : comparison.rows) {
    std::vector<results::Field> fields;
    for (std::size_t begin = 0, end = 0; end != row.row.npos; begin = end + 1) {
      end = row.row.find(kBetween, begin);
      const std::string part = row.row.substr(begin, end - begin);
      // No explainer where the model itself is judged.
      fields.push_back(part.empty() && begin > 0 ? results::Field() : results::Field(part));
    }
    if (!metric_pair.empty()) fields.front() = metric_pair;
    const std::string& direction_a = a.directions.at(row.row);
    const std::string direction = direction_a == b.directions.at(row.row) ? direction_a : "none";
    fields.emplace_back(direction);
    fields.emplace_back(row.n_a);
    if (!paired) fields.emplace_back(row.n_b);
    for (const double value : {row.mean_a, row.mean_b, row.difference}) fields.emplace_back(value);
    for (const auto& value : {row.low, row.high, row.p}) fields.push_back(results::field_of(value));
    if (correction != "none") fields.push_back(results::field_of(row.p_corrected));
    if (paired) {
      fields.push_back(results::field_of(row.detectable));
      fields.push_back(row.needed ? results::Field(*row.needed) : results::Field());
    }
    fields.emplace_back(verdict(row, direction, paired));
    table.add(std::move(fields));
  }
  return table;
}

}  // namespace conoscope::app
