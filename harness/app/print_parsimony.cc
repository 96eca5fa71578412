// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <utility>

#include "harness/app/metric_order.h"
#include "harness/app/print_board.h"
#include "results/analysis/equal_budget.h"
#include "results/analysis/parsimony.h"

namespace conoscope::app {

results::Table parsimony_board(results::Store& store, const BoardRequest& request) {
  const std::string board = results::command_of(request.kind) + ": ";
  results::SweepOptions options;
  options.run = request.filters.run;
  options.metrics = request.filters.metrics;
  options.dataset = request.filters.dataset;
  options.model = request.filters.model;
  options.explainer = request.filters.explainer;
  options.count_parameter = request.count_parameter;
  options.count_parameters = request.count_parameters;
  if (options.metrics.empty())
    for (const auto& name : in_catalogue_order(store.run_metrics(options.run)))
      if (can_be_judged(name)) options.metrics.push_back(name);
  const auto sweeps = results::sweeps(store, options);
  if (sweeps.empty())
    throw UsageError(
        board + "no explainer here with two or more numbers of concepts, as " +
        (request.count_parameter.empty()
             ? "the plugins in the search path count them (--k-param names the parameter of others)"
             : "--k-param " + request.count_parameter + " counts them") +
        "; `conoscope run parsimony.toml` has");
  if (request.kind == results::BoardKind::budget) {
    const auto metrics = std::exchange(options.metrics, {results::kUsedMetric});
    return results::equal_budget_table(results::sweeps(store, options), sweeps, metrics,
                                       request.budget);
  }
  if (request.kind == results::BoardKind::curve) return results::curve_table(sweeps);
  for (const auto& sweep : sweeps)
    if (sweep.direction == "none")
      throw UsageError(board + sweep.metric +
                       " has no direction, so no number of concepts is the best; `conoscope board "
                       "curve` shows it");
  const bool with_curve =
      request.format == results::Format::table || request.format == results::Format::md;
  return results::selection_table(sweeps, with_curve);
}

void print_parsimony(results::Store& store, const BoardRequest& request) {
  std::cout << results::to_text(parsimony_board(store, request), request.format);
}

}  // namespace conoscope::app
