// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <set>
#include <utility>

#include "harness/app/metric_order.h"
#include "harness/app/print_board.h"
#include "metrics/summaries/summary.h"
#include "results/analysis/verdict.h"

namespace conoscope::app {

namespace {

using results::Column;
using results::Ladder;

/// The whole ladder, or what the run lacks.
void require_complete(const std::vector<Ladder>& ladders) {
  if (ladders.empty())
    throw UsageError(
        "board sanity: the run has no explainer perfect; `conoscope run sanity.toml` has all "
        "that is needed");
  for (const Ladder& ladder : ladders)
    for (std::size_t i = 0; i < ladder.steps.size(); ++i) {
      if (ladder.steps[i].asked) continue;
      if (ladder.of_models)
        throw UsageError("board sanity: " + ladder.subject + " lacks step = \"" +
                         results::kModelSteps[i] + "\"");
      throw UsageError(std::string("board sanity: the run has no explainer ") +
                       results::kExplainerSteps[i] + "; `conoscope run sanity.toml` has all three");
    }
}

}  // namespace

results::Table sanity_board(results::Store& store, const BoardRequest& request) {
  const std::string& run = request.filters.run;
  std::vector<std::string> ordered = in_catalogue_order(
      request.filters.metrics.empty() ? store.run_metrics(run) : request.filters.metrics);
  std::erase_if(ordered, [](const std::string& name) { return metrics::find_summary(name); });
  if (ordered.empty()) throw UsageError("board sanity: the run asks for no metric");
  const std::vector<Ladder> ladders = results::ladders(store, run, ordered);
  require_complete(ladders);

  std::set<std::pair<std::string, std::string>> subjects;
  bool of_models = false;
  for (const Ladder& ladder : ladders) {
    subjects.insert({ladder.dataset, ladder.subject});
    of_models = of_models || ladder.of_models;
  }
  results::Table out;
  // One subject needs no name in every row.
  const bool several = subjects.size() > 1 || of_models;
  if (several) out.columns = {{"dataset"}, {of_models ? "ladder" : "model"}};
  out.columns.insert(out.columns.end(),
                     {Column::text("measure"), Column::text("better"), Column::real("Perfect"),
                      Column::real(of_models ? "Half" : "Rand Imp"),
                      Column::real(of_models ? "Random" : "Full Rand"), Column::text("verdict")});
  for (const Ladder& ladder : ladders) {
    if (std::all_of(ladder.steps.begin(), ladder.steps.end(),
                    [](const Ladder::Step& step) { return step.by_seed.empty(); }))
      continue;  // not applicable to this subject
    std::vector<results::Field> row;
    if (several)
      row = {ladder.dataset,
             of_models && !ladder.of_models ? "explanations of " + ladder.subject : ladder.subject};
    row.emplace_back(ladder.metric);
    row.emplace_back(ladder.direction);
    for (const auto& step : ladder.steps) {
      const auto mean = results::mean_of(step);
      row.push_back(results::field_of(mean));
    }
    const std::string said = results::verdict(ladder);
    if (said.empty())
      row.emplace_back();
    else
      row.emplace_back(said);
    out.add(std::move(row));
  }
  return out;
}

void print_sanity(results::Store& store, const BoardRequest& request) {
  std::cout << results::to_text(sanity_board(store, request), request.format);
}

}  // namespace conoscope::app
