#include <iostream>

#include "harness/app/command.h"
#include "harness/app/options.h"
#include "harness/app/print_board.h"
#include "harness/app/print_correlation.h"
#include "harness/app/print_parsimony.h"
#include "harness/app/print_sanity.h"
#include "results/store/store.h"

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
       "conoscope board quick --format latex > table.tex",
       "conoscope board full --across --metric surf_mae --metric surf_emd",
       "conoscope board sanity --sanity",
       "conoscope board parsimony --select-k --metric completeness",
       "conoscope board parsimony --curve --format csv > curves.csv",
       "conoscope board leakage_vs_intervention --correlate s_int -m ctl -m icl"});
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
                "measures instead of explainers: does each one rank perfect before random "
                "importances before random concepts? (for a run of sanity.toml)");
  options.add()("across",
                "one row per explainer, one column per dataset and metric: the layout of the "
                "SURF paper's Table 4");
  options.add()("select-k",
                "numbers of concepts instead: the smallest K whose mean over seeds is within one "
                "standard error of the best mean, the differences taken seed by seed (one seed, "
                "or no spread at all: within 1 % of the range between the best and the worst "
                "mean); in the metric's direction; of equal means the smallest K is the best. A K "
                "without a number for every seed asked is never chosen nor best. `area`: the area "
                "under the curve over K, divided by the range of K");
  options.add()("correlate", po::value<std::string>()->value_name("NAME"),
                "does each metric foretell this one, from model to model? Pearson's r of the means "
                "over seeds, their errors pooled by Rubin's rules (four models or more)");
  options.add()("curve", "the mean at every K with its 95 % interval");
  options.add()("k-param", po::value<std::string>()->default_value("")->value_name("NAME"),
                "the explainers' parameter that is K; default: the first of n_concepts, "
                "latents, clusters and k that an explainer has");
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
  const int kinds = options.has("across") + options.has("sanity") + options.has("select-k") +
                    options.has("curve") + options.has("correlate");
  if (kinds > 1)
    throw UsageError("choose one of --across, --sanity, --select-k, --curve and --correlate");
  if (options.has("select-k") || options.has("curve")) {
    results::SweepOptions sweep;
    sweep.run = run;
    sweep.metrics = metrics;
    sweep.dataset = options.get<std::string>("dataset");
    sweep.model = options.get<std::string>("model");
    sweep.explainer = options.get<std::string>("explainer");
    sweep.count_parameter = options.get<std::string>("k-param");
    print_parsimony(store, std::move(sweep), options.has("curve"), format);
    return kOk;
  }
  if (!options.get<std::string>("k-param").empty())
    throw UsageError("--k-param goes with --select-k or --curve");
  if (options.has("sanity")) {
    if (options.has("all")) throw UsageError("--sanity is about one run; leave out --all");
    print_sanity(store, run, metrics, format);
    return kOk;
  }
  results::BoardOptions filters;
  filters.dataset = options.get<std::string>("dataset");
  filters.model = options.get<std::string>("model");
  filters.explainer = options.get<std::string>("explainer");
  if (options.has("correlate")) {
    if (options.has("all")) throw UsageError("--correlate is about one run; leave out --all");
    filters.run = run;
    print_correlation(store, filters, options.get<std::string>("correlate"), metrics, format);
    return kOk;
  }
  print_board(store, run, metrics, filters, format, options.has("across"));
  return kOk;
}

}  // namespace conoscope::app
