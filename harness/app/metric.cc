// SPDX-License-Identifier: Apache-2.0
#include <boost/algorithm/string/join.hpp>
#include <cmath>
#include <iostream>

#include "harness/app/command.h"
#include "harness/app/metric_facts.h"
#include "harness/app/options.h"
#include "harness/app/plugin_info.h"
#include "harness/core/names.h"
#include "metrics/catalogue.h"
#include "metrics/summaries/summary.h"

namespace conoscope::app {

namespace {

using results::Column;
using results::Field;
using results::field_of;

/// One metric, whoever computes it, in the words of the table.
struct Row {
  std::string name, group, better, unit, question;
  Field low, high;
  std::string needs, uses, source, settings = {}, parts = {};
};

std::string need_texts(const std::vector<std::string_view>& needs) {
  std::vector<std::string> texts;
  for (const auto need : needs) texts.emplace_back(metrics::need_text(need));
  return boost::algorithm::join(texts, ", ");
}

/// "hidden = 32, batch = 128; others by name, as ois(hidden=64)"; a setting that has no number unless
/// it is named: "min_leaf = a share of the rows; others by name, as dci_forest_informativeness(min_leaf=500)"
std::string settings_text(const metrics::Metric& metric) {
  std::string text;
  for (const metrics::Setting& one : metric.settings)
    text += (text.empty() ? "" : ", ") + std::string(one.name) + " = " +
            (one.unnamed.empty() ? metrics::value_text(one) : std::string(one.unnamed));
  if (text.empty()) return text;
  metrics::Setting other = metric.settings.front();
  if (other.number > 0.0)
    other.number /= 2;
  else if (other.unnamed.empty() && other.words.empty())
    other.value = other.value > 50 ? other.value / 2 : 2 * other.value;
  return text + "; others by name, as " + metric.name + "(" + std::string(other.name) + "=" +
         (other.is_choice ? "0+3" : metrics::value_text(other)) + ")";
}

/// The built-in ones in the order of the boards, then those of the plugins in the search path.
std::vector<Row> all_metrics(const core::Registry& registry) {
  std::vector<Row> rows;
  const auto bound = [](double value) { return std::isinf(value) ? Field() : Field(value); };
  for (const auto& metric : metrics::catalogue().metrics())
    rows.push_back({metric.name, std::string(metric.group),
                    std::string(metrics::to_string(metric.direction)), std::string(metric.unit),
                    metric.question, bound(metric.low), bound(metric.high),
                    need_texts(metric.needs), need_texts(metric.uses), std::string(metric.source),
                    settings_text(metric), std::string(metric.parts)});
  for (const auto& plugin : registry.plugins()) {
    if (!plugin.metadata || !plugin.refusal.empty()) continue;
    const auto& data = *plugin.metadata;
    for (const auto& score : data.scores)
      rows.push_back({score.name, data.id, score.direction, score.unit, score.question,
                      field_of(score.low), field_of(score.high),
                      boost::algorithm::join(data.needs, ", "), "", data.citation});
  }
  return rows;
}

results::Table table_of(const std::vector<Row>& rows) {
  results::Table table{
      {Column::text("metric"), Column::text("group"), Column::text("better"), Column::real("low"),
       Column::real("high"), Column::text("unit"), Column::text("question")},
      {}};
  for (const Row& row : rows)
    table.add({row.name, row.group, row.better, row.low, row.high, row.unit, row.question});
  return table;
}

/// Of the table that a summary is; empty: it is none.
std::string columns_of(const std::string& metric) {
  const auto* summary = metrics::find_summary(metric);
  return summary == nullptr ? "" : boost::algorithm::join(summary->columns, ", ");
}

results::Table facts_of(const Row& row) {
  results::Table facts{{{"key"}, {"value"}}, {}};
  const auto bound = [](const Field& field) {
    const double* value = std::get_if<double>(&field);
    return value ? core::to_text(core::Value(*value)) : std::string("unbounded");
  };
  for (const auto& [key, value] :
       std::initializer_list<std::pair<const char*, std::string>>{{"metric", row.name},
                                                                  {"group", row.group},
                                                                  {"question", row.question},
                                                                  {"better", row.better},
                                                                  {"low", bound(row.low)},
                                                                  {"high", bound(row.high)},
                                                                  {"unit", row.unit},
                                                                  {"needs", row.needs},
                                                                  {"uses", row.uses},
                                                                  {"settings", row.settings},
                                                                  {"parts", row.parts},
                                                                  {"columns", columns_of(row.name)},
                                                                  {"source", row.source}})
    if (!value.empty()) facts.add({std::string(key), value});
  return facts;
}

}  // namespace

std::map<std::string, results::Table> metric_facts(const core::Registry& registry) {
  std::map<std::string, results::Table> out;
  for (const Row& row : all_metrics(registry)) out.emplace(row.name, facts_of(row));
  return out;
}

int metric_command(const Arguments& arguments) {
  Options options(
      "metric [NAME|GROUP] [options]",
      "Prints the metrics there are, built in or of plugins in the search path: what each\n"
      "one asks, and which end of its range is the better one. GROUP: those of a group,\n"
      "which run files may name in their place. NAME: all there is to know of one.",
      {"conoscope metric", "conoscope metric surf --format md",
       "conoscope metric dci_disentanglement"});
  options.positional("metric", 1);
  options.with_plugins();
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  auto rows = all_metrics(scan_plugins(options, open_quarantine(options)));
  if (options.has("metric")) {
    const auto& wanted = options.list("metric")[0];
    std::vector<std::string> names;
    for (const Row& row : rows) {
      if (row.name == wanted) {
        std::cout << results::to_text(facts_of(row), format);
        return kOk;
      }
      names.insert(names.end(), {row.name, row.group});
    }
    std::erase_if(rows, [&](const Row& row) { return row.group != wanted; });
    if (rows.empty())
      throw UsageError("no metric or group " + wanted +
                       core::did_you_mean(wanted, names, "conoscope metric"));
  }
  std::cout << results::to_text(table_of(rows), format);
  return kOk;
}

}  // namespace conoscope::app
