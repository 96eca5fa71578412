// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <iterator>
#include <set>

#include "harness/app/print_board.h"
#include "harness/app/terminal.h"
#include "harness/core/names.h"
#include "metrics/catalogue.h"
#include "results/analysis/audit.h"
#include "results/analysis/equal_budget.h"
#include "results/analysis/ranking.h"
#include "results/analysis/verdict.h"
#include "results/boards/across.h"
#include "results/boards/run_metrics.h"
#include "results/boards/status.h"
#include "results/report/headline.h"

namespace conoscope::app {

namespace {

constexpr std::size_t kColumns = 4;

bool is_about_explanations(std::string_view name) {
  const auto* metric = metrics::catalogue().metric(name);
  return metric != nullptr && core::contains(metric->needs, "explanation");
}

/// What people look at first: ranked metrics in the order of the run file, then those of plugins, and
/// what an explanation uses for all that.
std::vector<std::string> leading_metrics(const std::vector<std::string>& asked) {
  std::vector<std::string> out;
  for (const auto& name : asked)
    if (const auto* metric = metrics::catalogue().metric(name);
        metric != nullptr && metric->direction != metrics::Direction::kNone &&
        out.size() < kColumns)
      out.push_back(name);
  for (const auto& name : asked)
    if (metrics::catalogue().metric(name) == nullptr) out.push_back(name);
  if (out.empty()) out = asked;
  const std::string used = results::kUsedMetric;
  if (core::contains(asked, used) && !core::contains(out, used) &&
      std::any_of(out.begin(), out.end(), is_about_explanations))
    out.push_back(used);
  return out;
}

constexpr const char* kMark = "(!)";

/// The mark behind each column of these metrics.
void mark(results::Table& table, const std::set<std::string>& doubtful) {
  for (auto& column : table.columns)
    for (const auto& metric : doubtful) {
      // the metric itself, metric@control, or dataset's metric across
      const auto at = column.name.find(metric);
      if (at == std::string::npos) continue;
      const std::size_t end = at + metric.size();
      const auto apart = [](char c) { return c == '@' || c == ' ' || c == ':' || c == '/'; };
      if ((at == 0 || apart(column.name[at - 1])) &&
          (end == column.name.size() || apart(column.name[end])))
        column.name.insert(end, std::string(" ") + kMark);
    }
}

void keep_columns(results::Table& table, const std::vector<std::string>& wanted) {
  std::vector<std::string> known;
  for (const auto& column : table.columns) known.push_back(column.name);
  for (const auto& name : wanted)
    if (!core::contains(known, name))
      throw UsageError("--columns: the board has no column " + name +
                       core::did_you_mean(name, known));
  table.keep(wanted);
}

/// Why a run has no row under these metrics and filters.
std::string why_empty(results::Store& store, const results::BoardOptions& options) {
  if (options.run.empty()) return "no cell fits these filters";
  std::string text;
  const auto state = results::status(store, options.run).runs;
  for (const auto& row : state.rows)
    if (std::get<std::int64_t>(row[2]) == 0)
      text = "this run asks for no cell: none of its combinations fits (`conoscope plan` says why)";
  return text.empty() ? "no cell of this run fits these filters" : text;
}

/// Marks scores by how their methods stand in their contests, which are those of the whole run whatever
/// the filters keep.
///
/// returns  what the scores of the metric that ranks say in words; empty where filters leave out who
///          competes
std::vector<results::Headline> take_marks(results::Store& store, results::BoardOptions& options) {
  std::vector<results::Headline> out;
  if (options.run.empty()) return out;
  for (const std::string& metric : options.metrics) {
    const std::string direction = results::direction_of(store, metric);
    const auto contests = results::contests(store, options.run, metric, direction);
    const auto found = results::standings(store, options.run, metric, direction, contests);
    for (const auto& [subject, standing] : found)
      options.marks[metric][subject] = results::marks_of(standing);
    if (metric == options.metrics[0] && options.dataset.empty() && options.model.empty() &&
        options.explainer.empty())
      out = results::headlines(store, options.run, metric, direction, contests, found);
  }
  return out;
}

/// Of the metrics shown, where a board is read with its audit. With filters it is that of the whole run.
std::vector<results::Audit> audits_of(results::Store& store, const results::BoardOptions& options,
                                      const BoardRequest& request) {
  if (!request.audit && !results::is_audited(store, options.run)) return {};
  return results::audits(store, {.run = options.run, .metrics = options.metrics});
}

std::vector<results::Audit> audits_of_metric(const std::vector<results::Audit>& audits,
                                             const std::string& metric) {
  std::vector<results::Audit> out;
  std::ranges::copy_if(audits, std::back_inserter(out),
                       [&](const results::Audit& one) { return one.metric == metric; });
  return out;
}

/// Below a board: how small a difference the metric that ranks it tells apart, in each contest.
std::vector<std::string> resolution_texts(const std::vector<results::Audit>& audits,
                                          const std::string& metric, bool has_neighbours) {
  std::vector<std::string> out;
  const auto own = audits_of_metric(audits, metric);
  for (const auto& audit : own) {
    std::string text = results::audit_text(audit);
    if (text.empty()) continue;
    if (own.size() > 1)
      text = audit.dataset + (audit.model.empty() ? "" : ", " + audit.model) + ": " + text;
    out.push_back(text);
  }
  if (has_neighbours) out.emplace_back("~ not told apart by this metric from the entry above");
  return out;
}

/// Once for each metric and reason.
std::vector<std::string> failure_texts(const std::vector<results::Audit>& audits,
                                       const BoardRequest& request) {
  std::vector<std::string> out;
  for (const auto& audit : audits)
    for (const auto& why : audit.fails) {
      const std::string text = std::string(kMark) + " " + audit.metric + " " + why +
                               ": `conoscope audit " + request.filters.run.substr(0, 8) + " -m " +
                               audit.metric + request.store_words + "`";
      if (!core::contains(out, text)) out.push_back(text);
    }
  return out;
}

bool has_marks(const results::BoardOptions& options) {
  for (const auto& [metric, marks] : options.marks)
    for (const auto& [subject, mark] : marks)
      if (!mark.empty()) return true;
  return false;
}

}  // namespace

Ranking ranking(results::Store& store, const BoardRequest& request) {
  Ranking out;
  const bool across = request.kind == results::BoardKind::across;
  results::BoardOptions options = request.filters;
  options.controls = !across;
  if (options.metrics.empty() && !options.run.empty())
    options.metrics = leading_metrics(store.run_metrics(options.run));
  if (options.metrics.empty()) {
    out.nothing = "this run asks for no metric, so it has no leaderboard";
    return out;
  }
  out.metric = options.metrics[0];
  if (request.marks) out.headlines = take_marks(store, options);
  results::Table& table = out.table = results::board(store, options);
  if (table.rows.empty()) {
    out.nothing = "nothing to show: " + why_empty(store, options);
    return out;
  }
  for (auto& column : table.columns) column.tiny = request.tiny;
  if (request.bold || request.format == results::Format::table)
    for (const std::string& metric : options.metrics)
      results::mark_best(table, metric, results::direction_of(store, metric));
  const std::vector<results::Audit> audits = audits_of(store, options, request);
  // A table for a paper has the line below only where it is asked for.
  const bool says_resolution =
      request.columns.empty() &&
      (request.audit ? request.format.for_people : request.format == results::Format::table);
  const bool has_neighbours =
      !across && says_resolution &&
      results::mark_neighbours(table, audits_of_metric(audits, options.metrics[0]));
  if (across)
    table = results::across_datasets(table);
  else if (request.control_lines && request.format.for_people && request.columns.empty())
    results::add_control_lines(table, options.metrics[0],
                               results::direction_of(store, options.metrics[0]));
  if (!request.pareto.empty()) results::mark_pareto(table, request.pareto);
  if (!request.columns.empty()) keep_columns(table, request.columns);
  const auto doubtful = results::doubtful_metrics(store, options.metrics);
  for (const auto& one : doubtful) out.doubtful.insert(one.metric);
  for (const auto& audit : audits)
    if (!audit.fails.empty()) out.doubtful.insert(audit.metric);
  if (says_resolution) out.below = resolution_texts(audits, options.metrics[0], has_neighbours);
  if (has_marks(options) && request.format.for_people) out.below.push_back(results::marks_legend());
  for (const auto& [metric, run_key] : doubtful)
    out.unordered.push_back(
        std::string(kMark) + " " + metric +
        " does not tell better from worse on the sanity ladders: `conoscope board sanity " +
        run_key.substr(0, 8) + " -m " + metric + request.store_words + "`");
  out.failing = failure_texts(audits, request);
  return out;
}

bool print_ranking(results::Store& store, const BoardRequest& asked) {
  const bool on_screen = on_terminal() && asked.format == results::Format::table;
  BoardRequest request = asked;
  request.marks = request.marks || on_screen;
  Ranking made = ranking(store, request);
  if (!made.nothing.empty()) {
    std::cerr << made.nothing << '\n';
    return false;
  }
  if (request.format.for_people) mark(made.table, made.doubtful);
  std::cout << results::to_text(made.table, request.format);
  for (const auto& text : made.below) std::cout << '\n' << for_terminal(text);
  if (on_screen)
    for (const auto& headline : made.headlines) std::cout << '\n' << for_terminal(headline.text);
  for (const auto& text : made.unordered) std::cerr << text << '\n';
  for (const auto& text : made.failing) std::cerr << for_terminal(text);
  return true;
}

}  // namespace conoscope::app
