// SPDX-License-Identifier: Apache-2.0
#include "results/boards/history.h"

#include <iostream>

#include "harness/app/command.h"
#include "harness/app/plot_option.h"
#include "harness/app/store_options.h"
#include "harness/core/names.h"
#include "results/boards/scores.h"

namespace conoscope::app {

int history_command(const Arguments& arguments) {
  Options options(
      "history METRIC [options]",
      "Prints every recorded score of a metric, oldest first: run, version, the program that\n"
      "made it, and whether it counts, as the newest of its cell does.",
      {"conoscope history surf_emd --component kmeans",
       "conoscope history surf_emd --plot surf_emd.html"});
  options.positional("metric", 1);
  options.with_store();
  options.with_verify();
  options.texts("component", "NAME",
                "only cells with this dataset, model or explainer; may be repeated");
  options.text("control", "NAME", "of this control; all: of every one", "none");
  add_plot(options);
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  if (!options.has("metric")) throw UsageError("history: which metric?");
  const auto format = options.format();
  auto store = open_store(options);
  results::HistoryOptions history;
  history.metric = options.list("metric")[0];
  if (const auto known = results::metric_names(store); !core::contains(known, history.metric))
    throw UsageError("history: " + store.path().string() + " has no score of the metric " +
                     history.metric + core::did_you_mean(history.metric, known));
  if (options.has("component"))
    history.component = component_filter(store, "", "", options.list("component"));
  history.control = options.get<std::string>("control");
  if (history.control == "all") history.control.clear();
  const results::Table table = results::history(store, history);
  std::cout << results::to_text(table, format);
  write_plot(options, table, history.metric + ", oldest first");
  return kOk;
}

}  // namespace conoscope::app
