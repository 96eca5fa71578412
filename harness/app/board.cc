// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <iostream>
#include <sstream>

#include "harness/app/command.h"
#include "harness/app/options.h"
#include "harness/app/plot_option.h"
#include "harness/app/plugin_info.h"
#include "harness/app/print_board.h"
#include "harness/app/store_options.h"
#include "harness/core/names.h"
#include "metrics/catalogue.h"
#include "results/analysis/equal_budget.h"
#include "results/analysis/ladder.h"
#include "results/boards/run_metrics.h"
#include "results/boards/scores.h"
#include "results/boards/status.h"

namespace conoscope::app {

using results::BoardKind;

namespace {

std::string summary() {
  std::string text =
      "Prints a board of a run's scores. Entries with missing seeds never rank above complete\n"
      "ones. RUN is a name or the start of a key; default: the newest run (sanity: the newest\n"
      "with a ladder). KIND is one of:\n\n";
  for (const auto& info : results::board_kinds()) {
    std::string line = "  " + std::string(info.name);
    line.resize(15, ' ');
    text += line + std::string(info.summary) + "\n";
  }
  return text;
}

/// The kinds were options once.
void refuse_old_options(const Arguments& arguments) {
  for (const auto& argument : arguments) {
    if (argument == "--correlate" || argument.starts_with("--correlate="))
      throw UsageError("--correlate NAME is a kind now: conoscope board correlation --with NAME");
    if (!argument.starts_with("--")) continue;
    const auto kind = results::parse_board_kind(argument.substr(2));
    if (kind && *kind != BoardKind::budget)  // which has an option of its name
      throw UsageError(argument + " is a kind now: conoscope board " + argument.substr(2) +
                       " [RUN]");
  }
}

/// [KIND] [RUN]
void take_words(const std::vector<std::string>& words, BoardRequest& request, std::string& run) {
  std::size_t next = 0;
  if (const auto kind = results::parse_board_kind(words[0])) {
    request.kind = *kind;
    ++next;
  }
  if (next < words.size()) run = words[next++];
  if (next == words.size()) return;
  std::vector<std::string> kinds;
  for (const auto& info : results::board_kinds()) kinds.emplace_back(info.name);
  throw UsageError("board: no kind " + words[0] + core::did_you_mean(words[0], kinds));
}

bool is_about_counts(BoardKind kind) {
  return kind == BoardKind::select_k || kind == BoardKind::curve || kind == BoardKind::budget;
}

/// An option that a kind would ignore is a mistake.
void require_fitting(const Options& options, const BoardRequest& request) {
  const BoardKind kind = request.kind;
  const std::string name = results::command_of(kind);
  if (kind == BoardKind::correlation && request.with.empty())
    throw UsageError(name + ": --with NAME is missing, the metric to be predicted");
  if (kind != BoardKind::correlation && !request.with.empty())
    throw UsageError(name + ": --with goes with board correlation");
  if (kind == BoardKind::budget && !options.has("budget"))
    throw UsageError(name + ": --budget N is missing, the effective_concepts for each output");
  if (kind != BoardKind::budget && options.has("budget"))
    throw UsageError(name + ": --budget goes with board budget");
  if (kind != BoardKind::ranking && kind != BoardKind::across &&
      (options.has("bold") || options.has("tiny")))
    throw UsageError(name + ": --bold and --tiny go with board ranking and board across");
  if (!is_about_counts(kind) && !request.count_parameter.empty())
    throw UsageError(name + ": --k-param goes with board select-k, board curve and board budget");
  if ((kind == BoardKind::sanity || kind == BoardKind::correlation) && options.has("all"))
    throw UsageError(name + ": it is about one run; leave out --all");
  if (kind == BoardKind::sanity &&
      (options.has("dataset") || options.has("model") || options.has("explainer")))
    throw UsageError(name +
                     ": it takes every ladder of the run; leave out --dataset, --model and "
                     "--explainer");
  if (options.has("pareto") && kind != BoardKind::ranking)
    throw UsageError(name + ": --pareto goes with board ranking");
  if (options.has("marks") && kind != BoardKind::ranking)
    throw UsageError(name + ": --marks goes with board ranking");
  if (options.has("audit") && (kind != BoardKind::ranking || options.has("all")))
    throw UsageError(name + ": --audit goes with board ranking of one run");
  if (options.has("columns") && kind != BoardKind::ranking)
    throw UsageError(name + ": --columns goes with board ranking");
  if (options.has("plot") &&
      (kind != BoardKind::ranking || !options.has("metric") || options.list("metric").size() != 1))
    throw UsageError(name + ": --plot draws board ranking with one metric, -m NAME");
  if (options.has("all") && !options.has("metric"))
    throw UsageError("--all needs at least one --metric");
}

std::string key_of(const std::string& run, BoardKind kind, results::Store& store) {
  if (!run.empty()) return store.find_run(run);
  if (kind == BoardKind::sanity)
    if (const auto runs = results::ladder_runs(store); !runs.empty()) return runs.front();
  const auto runs = store.runs();
  if (runs.empty()) throw UsageError("the store holds no run yet; start with `conoscope run`");
  return runs.back().key;
}

/// -m: metrics, and groups of them, of which the run asks for some.
std::vector<std::string> metrics_of(results::Store& store, const std::string& run,
                                    const std::vector<std::string>& names) {
  const auto asked = run.empty() ? results::metric_names(store) : store.run_metrics(run);
  std::vector<std::string> out;
  for (const auto& name : names) {
    std::vector<std::string> found;
    if (!core::contains(asked, name))
      for (const auto* metric : metrics::catalogue().select(name))
        if (core::contains(asked, metric->name)) found.emplace_back(metric->name);
    if (found.empty()) found = {name};
    for (const auto& metric : found)
      if (!core::contains(out, metric)) out.push_back(metric);
  }
  return out;
}

/// The words between commas.
std::vector<std::string> items_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) out.push_back(item);
  return out;
}

/// NAME or NAME:lower or NAME:higher, separated by commas.
std::vector<results::ParetoAxis> pareto_axes(results::Store& store, const std::string& run,
                                             const std::string& text) {
  const auto asked = run.empty() ? results::metric_names(store) : store.run_metrics(run);
  std::vector<results::ParetoAxis> out;
  for (const std::string& item : items_of(text)) {
    const std::size_t colon = item.find(':');
    const std::string name = item.substr(0, colon);
    if (!core::contains(asked, name))
      throw UsageError("--pareto: the run asks for no metric " + name +
                       core::did_you_mean(name, asked));
    std::string direction = results::direction_of(store, name);
    if (name == results::kUsedMetric) direction = "lower";  // what is used is paid
    const std::string given = colon == item.npos ? direction : item.substr(colon + 1);
    if (given != "lower" && given != "higher")
      throw UsageError("--pareto: which end of " + name + " is better? " + name + ":lower or " +
                       name + ":higher");
    if (direction != "none" && given != direction)
      throw UsageError("--pareto: of " + name + " the " + direction + " end is better");
    out.push_back({name, given == "higher"});
  }
  if (out.size() < 2) throw UsageError("--pareto: two metrics or more, as surf_emd,stability");
  return out;
}

/// The metrics whose columns these are, those of controls (surf_mae@random_concepts) among them.
std::vector<std::string> metrics_in(results::Store& store, const std::string& run,
                                    const std::vector<std::string>& columns) {
  const auto asked = run.empty() ? results::metric_names(store) : store.run_metrics(run);
  std::vector<std::string> out;
  for (const auto& column : columns) {
    const std::string metric = column.substr(0, column.find('@'));
    if (core::contains(asked, metric) && !core::contains(out, metric)) out.push_back(metric);
  }
  return out;
}

/// The k of 10^-k.
int tiny_of(double bound) {
  const double k = -std::log10(bound);
  if (!(bound > 0) || std::abs(k - std::round(k)) > 1e-9 || k < 1 || k > 300)
    throw UsageError("--tiny: a power of ten below 1, as 1e-15");
  return static_cast<int>(std::round(k));
}

void add_options(Options& options) {
  options.positional("words", 2);
  options.with_store();
  options.with_verify();
  options.texts("metric,m", "NAME",
                "a column, or a group of them; the first one ranks; may be repeated");
  options.flag("all", "over all runs of the store (needs --metric)");
  options.with_component_filters();
  options.text("with", "NAME", "correlation: the metric to be predicted", "");
  options.text(
      "k-param", "NAME",
      "select-k, curve, budget: the explainers' parameter that is K; default: the one that "
      "each plugin says counts its concepts",
      "");
  options.real("budget", "N", "budget: so many effective_concepts, or fewer, for an output");
  options.text("pareto", "NAME,NAME",
               "ranking: mark the rows that no other row beats on all of these metrics, which are "
               "the first columns; NAME:lower or NAME:higher where a metric has no better end");
  options.text("columns", "NAME,NAME",
               "ranking: these columns alone, in this order, as explainer,surf_mae; without "
               "--metric their metrics are those of the board");
  add_plot(options);
  options.flag("bold", "ranking, across: the best of each column in bold, in md and latex");
  options.flag("marks",
               "ranking: mark scores that cannot be told apart from the best, and that beat their "
               "randomised twins; on a terminal they are marked anyway");
  options.flag("audit",
               "ranking: say below it which differences its metric does not tell apart, and mark "
               "neighbours closer than that; where the run has known truth or twins that learnt "
               "nothing it is said anyway");
  options.real("tiny", "X",
               "ranking, across: print what is nearer to 0 than X, a power of ten, as < X");
  options.with_plugins();
  options.with_format();
}

}  // namespace

int board_command(const Arguments& arguments) {
  refuse_old_options(arguments);
  Options options(
      "board [KIND] [RUN] [options]", summary(),
      {"conoscope board", "conoscope board --metric surf_emd --metric surf_top1",
       "conoscope board ranking quick --format latex --bold --tiny 1e-15 > table.tex",
       "conoscope board quick -m surf --explainer svd --explainer kmeans",
       "conoscope board quick -m surf_emd --plot quick.svg",
       "conoscope board quick --columns explainer,surf_mae,surf_mae@random_concepts --format md",
       "conoscope board parsimony --pareto surf_emd,effective_concepts",
       "conoscope board across full --metric surf_mae --metric surf_emd", "conoscope board sanity",
       "conoscope board select-k parsimony --metric completeness",
       "conoscope board curve parsimony --format csv > curves.csv",
       "conoscope board budget parsimony --budget 5 -m surf_emd",
       "conoscope board correlation leakage_vs_intervention --with s_int -m ctl -m icl"});
  add_options(options);
  if (!options.parse(arguments)) return kOk;
  BoardRequest request;
  request.store_words = options.store_words();
  request.format = options.format();
  std::string run;
  if (options.has("words")) take_words(options.list("words"), request, run);
  request.bold = options.has("bold");
  request.marks = options.has("marks");
  request.audit = options.has("audit");
  if (options.has("tiny")) request.tiny = tiny_of(options.get<double>("tiny"));
  request.with = options.get<std::string>("with");
  request.count_parameter = options.get<std::string>("k-param");
  if (options.has("budget")) request.budget = options.get<double>("budget");
  require_fitting(options, request);
  if (is_about_counts(request.kind)) {
    const auto registry = scan_plugins(options, open_quarantine(options));
    for (const auto& plugin : registry.plugins()) note_concept_count(plugin, request);
  }
  auto store = open_store(options);
  auto& filters = request.filters;
  if (!options.has("all")) filters.run = key_of(run, request.kind, store);
  if (options.has("metric"))
    filters.metrics = metrics_of(store, filters.run, options.list("metric"));
  if (options.has("columns")) {
    request.columns = items_of(options.get<std::string>("columns"));
    if (!options.has("metric")) filters.metrics = metrics_in(store, filters.run, request.columns);
  }
  if (options.has("pareto")) {
    request.pareto = pareto_axes(store, filters.run, options.get<std::string>("pareto"));
    std::vector<std::string> columns;
    for (const auto& axis : request.pareto) columns.push_back(axis.metric);
    for (const auto& metric : filters.metrics)
      if (!core::contains(columns, metric)) columns.push_back(metric);
    filters.metrics = std::move(columns);
  }
  take_component_filters(options, store, filters);
  if (options.has("plot") && filters.metrics.size() != 1)
    throw UsageError("board: --plot draws one metric, and " + options.list("metric")[0] +
                     " is a group");
  const bool shown = print_board(store, request);
  if (request.format.for_people && !filters.run.empty())
    if (const auto failed = results::status(store, filters.run).failures.rows.size(); failed > 0)
      std::cerr << failed << (failed == 1 ? " cell" : " cells") << " failed: `conoscope status"
                << options.store_words() << "` says which and why\n";
  if (shown && options.has("plot")) {
    auto drawn = filters;
    drawn.controls = true;
    write_plot(options, results::board(store, drawn), filters.metrics[0]);
  }
  return shown ? kOk : kSomeFailed;
}

}  // namespace conoscope::app
