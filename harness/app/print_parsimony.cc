#include "harness/app/print_parsimony.h"

#include <iostream>

#include "harness/app/command.h"
#include "harness/app/metric_order.h"
#include "results/analysis/parsimony.h"

namespace conoscope::app {

void print_parsimony(results::Store& store, results::SweepOptions options, bool curves,
                     results::Format format) {
  if (options.metrics.empty())
    for (const auto& name : in_catalogue_order(store.run_metrics(options.run)))
      if (can_be_judged(name)) options.metrics.push_back(name);
  const auto sweeps = results::sweeps(store, options);
  if (sweeps.empty())
    throw UsageError(
        "board --select-k: no explainer here with two or more numbers of concepts (parameter " +
        (options.count_parameter.empty() ? "n_concepts, latents, clusters or k"
                                         : options.count_parameter) +
        "); `conoscope run parsimony.toml` has");
  if (curves) {
    std::cout << results::to_text(results::curve_table(sweeps), format);
    return;
  }
  for (const auto& sweep : sweeps)
    if (sweep.direction == "none")
      throw UsageError("board --select-k: " + sweep.metric +
                       " has no direction, so no number of concepts is the best; --curve shows it");
  const bool for_people = format == results::Format::table || format == results::Format::md;
  std::cout << results::to_text(results::selection_table(sweeps, for_people), format);
}

}  // namespace conoscope::app
