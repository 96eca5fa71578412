#include <iostream>

#include "harness/app/command.h"
#include "harness/app/options.h"
#include "harness/app/print_board.h"
#include "harness/app/print_sanity.h"
#include "results/store.h"

namespace conoscope::app {

namespace po = boost::program_options;

int board_command(const Arguments& arguments) {
  Options options(
      "board [RUN] [options]",
      "Prints a leaderboard: one row per dataset, model and explainer with the mean over\n"
      "seeds, the half-width of its 95 % interval, and the randomised controls beside.\n"
      "Entries with missing seeds never rank above complete ones. RUN is a name or the\n"
      "start of a key; default: the newest run.",
      {"conoscope board", "conoscope board --metric surf_emd --metric surf_top1",
       "conoscope board quick --format latex > table.tex", "conoscope board sanity --sanity"});
  options.positional("run", 1);
  options.with_store();
  options.add()("metric,m", po::value<std::vector<std::string>>()->composing()->value_name("NAME"),
                "a column; the first one ranks; may be repeated");
  options.add()("all", "over all runs of the store (needs --metric)");
  options.add()("dataset", po::value<std::string>()->default_value("")->value_name("NAME"),
                "only this dataset");
  options.add()("model", po::value<std::string>()->default_value("")->value_name("NAME"),
                "only this model");
  options.add()("explainer", po::value<std::string>()->default_value("")->value_name("NAME"),
                "only this explainer");
  options.add()("sanity",
                "measures instead of explainers: does each one rank perfect before random\n"
                "importances before random concepts? (for a run of sanity.toml)");
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  auto store = results::Store::open(options.store(), results::Mode::read_only);
  std::vector<std::string> metrics;
  if (options.has("metric")) metrics = options.get<std::vector<std::string>>("metric");
  std::string run;
  if (options.has("all")) {
    if (metrics.empty()) throw UsageError("--all needs at least one --metric");
  } else if (options.has("run")) {
    run = store.find_run(options.get<std::vector<std::string>>("run")[0]);
  } else {
    const auto runs = store.runs();
    if (runs.empty()) throw UsageError("the store holds no run yet; start with `conoscope run`");
    run = runs.back().key;
  }
  if (options.has("sanity")) {
    if (options.has("all")) throw UsageError("--sanity is about one run; leave out --all");
    print_sanity(store, run, metrics, format);
    return kOk;
  }
  results::BoardOptions filters;
  filters.dataset = options.get<std::string>("dataset");
  filters.model = options.get<std::string>("model");
  filters.explainer = options.get<std::string>("explainer");
  print_board(store, run, metrics, filters, format);
  return kOk;
}

}  // namespace conoscope::app
