// SPDX-License-Identifier: Apache-2.0
#include "results/boards/board.h"

#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "results/boards/bind_score_filter.h"
#include "results/boards/estimate.h"
#include "results/boards/run_metrics.h"
#include "results/store/names.h"
#include "results/store/sql.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

namespace {

/// By subject and control.
std::map<std::pair<BoardSubject, std::string>, std::vector<std::string>> messages_of(
    Store& store, const std::string& metric, const std::string& run) {
  Statement& query = store.connection().kept(query_text("board_messages"));
  query.bind_filter("metric", metric).bind_filter("run", run);
  std::map<std::pair<BoardSubject, std::string>, std::vector<std::string>> messages;
  while (query.step())
    messages[{{query.text(0), query.text(1), query.text(2)}, query.text(3)}].push_back(
        query.text(4));
  query.reset();
  return messages;
}

/// As board.sql takes them.
std::string self_reported_rows(const Store& store) {
  std::string out;
  for (const auto& [subject, origin] : store.origins())
    if (origin == kSelfReported)
      out += (out.empty() ? "\n" : "") + subject[0] + " " + subject[1] + " " + subject[2] + "\n";
  return out;
}

std::string origin_of(const Store& store, const BoardSubject& subject) {
  const auto& [dataset, model, explainer] = subject;
  const auto found = store.origins().find({dataset, model, explainer});
  return found == store.origins().end() ? "" : found->second;
}

Estimate estimate_of(std::int64_t n, std::int64_t asked, double mean, std::optional<double> sd,
                     bool over_seeds) {
  Estimate estimate{mean, std::nullopt, n, asked};
  if (sd && !over_seeds) estimate.half_width = t_half_width(n, *sd);
  if (sd && over_seeds && n > 2) estimate.half_width = t_half_width(n, over_seeds_spread(n) * *sd);
  return estimate;
}

}  // namespace

std::vector<BoardEntry> board_entries(Store& store, const BoardOptions& options,
                                      const std::string& metric, const std::string& control) {
  require_asked(store, options.run, metric);
  const auto messages = messages_of(store, metric, options.run);
  const bool over_seeds = is_over_seeds(store, metric);
  Statement& query = store.connection().kept(query_text("board"));
  bind_score_filter(query, options, metric)
      .bind_filter("control", control)
      .bind_filter("self_reported", self_reported_rows(store));
  std::vector<BoardEntry> entries;
  while (query.step()) {
    BoardEntry entry;
    entry.dataset = query.text(0);
    entry.model = query.text(1);
    entry.explainer = query.text(2);
    entry.control = query.text(3);
    if (!query.is_null(4)) entry.rank = query.integer(4);
    entry.n = query.integer(5);
    entry.asked = query.integer(6);
    if (!query.is_null(8)) entry.sd = query.real(8);
    entry.estimate = estimate_of(entry.n, entry.asked, query.real(7), entry.sd, over_seeds);
    entry.subject = {query.text(9), query.text(10), query.text(11)};
    entry.origin = origin_of(store, entry.subject);
    if (const auto found = messages.find({entry.subject, entry.control}); found != messages.end())
      entry.estimate.messages = found->second;
    if (const auto of = options.marks.find(metric); of != options.marks.end())
      if (const auto found = of->second.find(entry.subject); found != of->second.end())
        entry.estimate.marks = entry.control == "none" ? found->second : "";
    entries.push_back(std::move(entry));
  }
  query.reset();
  return entries;
}

Table board(Store& store, const BoardOptions& options) {
  if (options.metrics.empty()) throw std::invalid_argument("board: no metric given");
  const std::string& first = options.metrics.front();
  std::vector<BoardEntry> ranked;
  std::map<std::string, std::map<BoardSubject, Field>> controls;
  for (BoardEntry& entry : board_entries(store, options, first, options.controls ? "" : "none")) {
    if (entry.control == "none")
      ranked.push_back(std::move(entry));
    else
      controls[entry.control][entry.subject] = entry.estimate;
  }

  const auto scores = [&store](const std::string& metric, const std::string& control = "") {
    const std::string direction = direction_of(store, metric);
    return Column{.name = metric + control,
                  .type = ColumnType::kEstimate,
                  .messages = true,
                  .better = direction == "higher"  ? Better::kHigher
                            : direction == "lower" ? Better::kLower
                                                   : Better::kNeither};
  };
  Table table;
  table.columns = {{"rank", ColumnType::kInteger},
                   {"dataset"},
                   {"model"},
                   {"explainer"},
                   {"coverage", ColumnType::kCoverage}};
  if (!store.origins().empty()) table.columns.push_back({kOriginColumn});
  table.columns.push_back(scores(first));
  for (const auto& [control, fields] : controls)
    table.columns.push_back(scores(first, "@" + control));
  std::vector<std::map<BoardSubject, Field>> others;
  for (std::size_t i = 1; i < options.metrics.size(); ++i) {
    table.columns.push_back(scores(options.metrics[i]));
    others.emplace_back();
    for (BoardEntry& entry : board_entries(store, options, options.metrics[i], "none"))
      others.back()[entry.subject] = entry.estimate;
  }

  Names datasets(store), models(store), explainers(store);
  for (const BoardEntry& entry : ranked) {
    datasets.note(std::get<0>(entry.subject), entry.dataset);
    models.note(std::get<1>(entry.subject), entry.model);
    explainers.note(std::get<2>(entry.subject), entry.explainer);
  }
  const auto find = [](const std::map<BoardSubject, Field>& fields, const BoardSubject& subject) {
    const auto found = fields.find(subject);
    return found == fields.end() ? Field() : found->second;
  };
  for (const BoardEntry& entry : ranked) {
    std::vector<Field> row = {entry.rank ? Field(*entry.rank) : Field(),
                              datasets.of(std::get<0>(entry.subject), entry.dataset),
                              models.of(std::get<1>(entry.subject), entry.model),
                              explainers.of(std::get<2>(entry.subject), entry.explainer),
                              Coverage{entry.n, entry.asked}};
    if (!store.origins().empty())
      row.push_back(entry.origin.empty() ? Field() : Field(entry.origin));
    row.emplace_back(entry.estimate);
    for (const auto& [control, fields] : controls) row.push_back(find(fields, entry.subject));
    for (const auto& fields : others) row.push_back(find(fields, entry.subject));
    table.add(std::move(row));
  }
  return table;
}

std::vector<std::pair<std::string, std::string>> contests_of(const Table& board) {
  const std::size_t dataset = board.column("dataset"), model = board.column("model"),
                    explainer = board.column("explainer");
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& row : board.rows) {
    const bool of_model = std::holds_alternative<std::monostate>(row[explainer]);
    out.emplace_back(std::get<std::string>(row[dataset]),
                     of_model ? "" : std::get<std::string>(row[model]));
  }
  return out;
}

}  // namespace conoscope::results
