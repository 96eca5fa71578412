// SPDX-License-Identifier: Apache-2.0
#include "harness/app/print_board.h"

#include <iostream>

#include "harness/app/metric_order.h"
#include "results/analysis/correlation.h"

namespace conoscope::app {

namespace {

bool print_correlation(results::Store& store, const BoardRequest& request) {
  results::BoardOptions options = request.filters;
  if (options.metrics.empty())
    for (const auto& name : in_catalogue_order(store.run_metrics(options.run)))
      if (name != request.with && can_be_judged(name)) options.metrics.push_back(name);
  const results::Table table = results::correlation_table(store, options, request.with);
  if (table.rows.empty()) {
    std::cerr << "nothing to show: "
              << (options.metrics.empty()
                      ? "this run asks for no metric but " + request.with
                      : "nothing here has " + request.with +
                            " and another of these metrics at two seeds or more (`conoscope "
                            "status` says what failed)")
              << '\n';
    return false;
  }
  std::cout << results::to_text(table, request.format);
  return true;
}

}  // namespace

void note_concept_count(const core::PluginFile& plugin, BoardRequest& request) {
  if (!plugin.metadata || plugin.metadata->kind != core::Kind::kExplainer) return;
  if (const auto* parameter = plugin.metadata->concept_count())
    request.count_parameters[plugin.metadata->id] = parameter->name;
}

bool print_board(results::Store& store, const BoardRequest& request) {
  switch (request.kind) {
    case results::BoardKind::ranking:
    case results::BoardKind::across:
      return print_ranking(store, request);
    case results::BoardKind::sanity:
      print_sanity(store, request);
      break;
    case results::BoardKind::select_k:
    case results::BoardKind::curve:
    case results::BoardKind::budget:
      print_parsimony(store, request);
      break;
    case results::BoardKind::correlation:
      return print_correlation(store, request);
  }
  return true;
}

}  // namespace conoscope::app
