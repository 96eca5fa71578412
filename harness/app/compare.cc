// SPDX-License-Identifier: Apache-2.0
// Is the difference between two explainers, runs, stores, models, datasets or metrics significant?

#include <boost/algorithm/string/join.hpp>
#include <iostream>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "harness/app/command.h"
#include "harness/app/compare_sides.h"
#include "harness/app/compare_table.h"
#include "harness/app/leakage_criterion.h"
#include "harness/app/options.h"
#include "harness/app/plot_option.h"
#include "harness/app/store_options.h"
#include "results/analysis/audit.h"
#include "results/analysis/comparison.h"
#include "results/boards/scores.h"

namespace conoscope::app {

namespace {

void add_options(Options& options) {
  options.positional("sides", 2);
  options.with_store();
  options.with_verify();
  options.texts("metric,m", "NAME",
                "a metric or a group of them; may be repeated (default: all that rank)");
  options.flag("leakage-criterion", "the Leakage Criterion instead of a test for each metric");
  options.flag("pooled", "one row for each metric; n counts datasets");
  options.real("resampled", "R",
               "the seeds are splits of one sample, R = test rows / training rows: Nadeau and "
               "Bengio's corrected variance",
               0);
  options.text("run", "RUN", "only what this run asks for", "");
  options.with_component_filters();
  options.text("control", "NAME", "of this control", "none");
  options.text("test", "T", "t, wilcoxon or bootstrap", "t");
  options.flag("unpaired", "Welch's test of two groups instead of pairs");
  options.text("correction", "C", "over the rows: holm, bh (Benjamini-Hochberg) or none", "holm");
  options.real("alpha", "P",
               "largest corrected p that counts as a difference; intervals are of 1 - P", 0.05);
  options.real("power", "P", "probability to see a detectable difference", 0.8);
  add_plot(options);
  options.with_format();
}

/// The tests that the options ask for.
results::ComparisonOptions comparison_options(const Options& options) {
  results::ComparisonOptions out;
  if (options.has("leakage-criterion"))
    for (const char* other :
         {"metric", "pooled", "unpaired", "resampled", "test", "correction", "power", "plot"})
      if (options.has(other))
        throw UsageError(std::string("--leakage-criterion does not go with --") + other);
  out.paired = !options.has("unpaired");
  out.over_datasets = options.has("pooled");
  out.resampled = options.get<double>("resampled");
  if (!(out.resampled >= 0 && out.resampled < 1e6))
    throw UsageError("--resampled: test rows over training rows, as 0.25");
  out.alpha = options.get<double>("alpha");
  out.power = options.get<double>("power");
  if (!(out.alpha > 0 && out.alpha < 1)) throw UsageError("--alpha must be between 0 and 1");
  if (!(out.power > out.alpha && out.power < 1))
    throw UsageError("--power must be between --alpha and 1");
  const auto test = options.get<std::string>("test");
  if (test == "wilcoxon")
    out.test = results::PairTest::kWilcoxon;
  else if (test == "bootstrap")
    out.test = results::PairTest::kBootstrap;
  else if (test != "t")
    throw UsageError("--test " + test + ": it is t, wilcoxon or bootstrap");
  if (out.resampled > 0 && (test != "t" || !out.paired || out.over_datasets))
    throw UsageError("--resampled corrects the paired t test of one dataset's seeds only");
  if (!out.paired && test != "t") throw UsageError("--unpaired has Welch's t test only");
  const auto correction = options.get<std::string>("correction");
  if (correction == "bh")
    out.correction = results::Correction::kBenjaminiHochberg;
  else if (correction == "none")
    out.correction = results::Correction::kNone;
  else if (correction != "holm")
    throw UsageError("--correction " + correction + ": it is holm, bh or none");
  return out;
}

/// What is compared.
struct Request {
  std::optional<results::Store> store;  ///< none where both sides are store files
  Side a, b;
  std::vector<std::string> metrics;  ///< as --metric names them
  results::ScoreFilter filter;
  Kept kept;
};

/// throws  UsageError: options that do not go together, or with these sides
void require_sense(const Options& options, const Request& request) {
  const std::string& kind = request.a.kind;
  if (kind != request.b.kind && !(request.a.whole() && request.b.whole())) {
    const auto& words = options.list("sides");
    throw UsageError("compare: " + words[0] + " is of the kind " + kind + ", " + words[1] +
                     " of the kind " + request.b.kind);
  }
  if (kind == "dataset" && options.has("pooled"))
    throw UsageError("compare: --pooled does not go with two datasets");
  for (const char* option : {"metric", "leakage-criterion"})
    if (kind == "metric" && options.has(option))
      throw UsageError(std::string("compare: --") + option + " does not go with two metrics");
  if (request.a.whole() && !options.get<std::string>("run").empty())
    throw UsageError("compare: --run does not go with runs and stores");
  for (const char* other : {"dataset", "model", "explainer"})
    if (kind == other && options.has(other))
      throw UsageError(std::string("compare: --") + other + " does not go with two of that kind");
}

Request request_of(const Options& options) {
  const auto words = options.list("sides");
  if (words.size() != 2) throw UsageError("compare: which two? `conoscope compare A B`");
  Request out;
  if (!names_a_store(words[0]) || !names_a_store(words[1])) out.store = open_store(options);
  results::Store* const store = out.store ? &*out.store : nullptr;
  auto& filter = out.filter;
  filter.run = options.get<std::string>("run");
  if (!filter.run.empty() && store != nullptr) filter.run = store->find_run(filter.run);
  std::tie(out.a, out.b) = sides_of(store, filter.run, words[0], words[1]);
  require_sense(options, out);
  out.metrics = options.list("metric");
  if (options.has("leakage-criterion")) out.metrics = {"ctl", "icl"};
  for (const char* kind : {"dataset", "model", "explainer"})
    if (options.has(kind)) out.kept[kind] = options.list(kind);
  if (store != nullptr) take_component_filters(options, *store, filter);
  filter.control = options.get<std::string>("control");
  return out;
}

std::string what_sides_are(const Request& request) {
  return "A is " + request.a.kind + ' ' + request.a.name + ", B is " + request.b.kind + ' ' +
         request.b.name;
}

/// --leakage-criterion. Returns the exit code.
int print_criterion(const Request& request, const Arranged& a, const Arranged& b, double alpha,
                    results::Format format) {
  const auto found = leakage_criterion_rows(a.numbers, b.numbers, shared_by(request.a.kind), alpha);
  if (found.table.rows.empty())
    throw UsageError(
        "compare: no dataset and model under which both sides have ctl and icl of "
        "two seeds or more");
  std::cerr << what_sides_are(request) << '\n';
  std::cout << results::to_text(found.table, format);
  return found.different ? kDifferent : kOk;
}

/// The metric of a comparison's row; empty where metrics are compared.
std::string metric_of(const std::string& row) { return row.substr(0, row.find(kBetween)); }

/// What is to be known before the rows are read.
void say_caveats(const results::Comparison& comparison, const WantedMetrics& wanted,
                 const results::ComparisonOptions& statistics) {
  if (comparison.alone_a + comparison.alone_b > 0)
    std::cerr << comparison.alone_a << " scores of A and " << comparison.alone_b
              << " of B have no partner and are left out\n";
  std::set<std::string> metrics, same;
  bool tested = false;
  for (const auto& row : comparison.rows) {
    metrics.insert(metric_of(row.row));
    if (!row.same_as.empty()) same.insert(metric_of(row.row) + " = " + metric_of(row.same_as));
    tested = tested || row.p;
  }
  for (const auto& word : wanted.without(metrics))
    std::cerr << word << ": no two scores of it belong together\n";
  if (!same.empty() && statistics.correction != results::Correction::kNone)
    std::cerr << "equal bit for bit, and so one test in the correction: "
              << boost::algorithm::join(same, ", ") << '\n';
  if (tested && statistics.paired && !statistics.over_datasets && statistics.resampled == 0 &&
      statistics.test == results::PairTest::kT)
    std::cerr << "p takes seeds for independent samples; where they only split the same rows anew, "
                 "it is too small: --resampled R, test rows / training rows (0.25 if a fifth is "
                 "held out)\n";
}

/// How small a difference is reliable, by all entries of the contest, where one was found that may be
/// smaller. Of the explanations themselves: their twins scatter in their own way.
void take_reliable(const Request& request, const Arranged& a, results::Store& store,
                   results::Comparison& comparison) {
  if (request.filter.control != "none") return;
  std::map<std::string, std::map<std::pair<std::string, std::string>, results::Noise>> known;
  for (auto& row : comparison.rows) {
    const auto contest = a.contests.find(row.row);
    if (!row.different || contest == a.contests.end()) continue;
    const std::string metric = metric_of(row.row);
    auto of_metric = known.find(metric);
    if (of_metric == known.end())
      of_metric =
          known.emplace(metric, results::contest_noise(store, request.filter.run, metric)).first;
    const auto noise = of_metric->second.find(contest->second);
    if (noise != of_metric->second.end() && noise->second.dof > 0 &&
        !results::is_uneven(noise->second))
      row.reliable = results::reliable_difference(noise->second, row.n_a);
  }
}

/// A test for each row. Returns the exit code.
int print_tests(const Options& options, Request& request, const Arranged& a, const Arranged& b,
                const WantedMetrics& wanted, const results::ComparisonOptions& statistics,
                results::Format format) {
  auto comparison = results::compare(a.numbers, b.numbers, statistics);
  if (comparison.rows.empty()) {
    const auto& words = options.list("sides");
    throw UsageError("compare: nothing to compare: " + std::to_string(a.numbers.size()) +
                     " scores of " + words[0] + " and " + std::to_string(b.numbers.size()) +
                     " of " + words[1] + ", and no two of them belong together");
  }
  if (request.store && statistics.paired) take_reliable(request, a, *request.store, comparison);
  std::cerr << what_sides_are(request) << "; differences are A - B\n";
  say_caveats(comparison, wanted, statistics);
  const std::string difference = request.a.name + " - " + request.b.name;
  const bool metrics = request.a.kind == "metric";
  const results::Table table = comparison_table(
      comparison, a, b, metrics ? difference : "",
      statistics.over_datasets ? std::vector<std::string>() : shared_by(request.a.kind),
      statistics.paired, options.get<std::string>("correction"));
  std::cout << results::to_text(table, format);
  write_plot(options, table,
             request.metrics.empty() ? difference : request.metrics[0] + ": " + difference);
  return comparison.different() ? kDifferent : kOk;
}

}  // namespace

int compare_command(const Arguments& arguments) {
  Options options(
      "compare A B [options]",
      "Is there a difference between A and B, and is it significant? They are two explainers,\n"
      "runs, store files, models, datasets or metrics: a name, or kind:name where a name\n"
      "has several meanings (run:quick, explainer:svd, store:old.db). One test for each\n"
      "metric, dataset, model and explainer, but for what differs, on pairs of one seed:\n"
      "both means, the mean difference A - B with its interval, the p-value, corrected\n"
      "over all rows, the smallest difference that so many pairs can show, and how many\n"
      "pairs the difference that was seen would take. --pooled: one test for each metric,\n"
      "on the means over datasets (Demsar 2006).\n"
      "--leakage-criterion: which side leaks more, by ctl and icl together (Parisini et al.\n"
      "2025): more where one is significantly larger (Welch) and the other not smaller.\n"
      "Exit code 6: a difference was found; 0: none was, which does not mean that there\n"
      "is none.",
      {"conoscope compare svd kmeans", "conoscope compare svd kmeans --metric surf --pooled",
       "conoscope compare svd kmeans -m surf_emd --plot difference.svg",
       "conoscope compare run:quick run:full --metric surf_mae",
       "conoscope compare last-month.db conoscope.db --test wilcoxon",
       "conoscope compare metric:surf_mae metric:surf_mae_spatial_mean --format json"});
  add_options(options);
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  const auto statistics = comparison_options(options);
  Request request = request_of(options);
  results::Store* const store = request.store ? &*request.store : nullptr;
  auto scores_a = scores_of(options, request.a, store, request.filter, request.kept);
  auto scores_b = scores_of(options, request.b, store, request.filter, request.kept);
  call_alike(scores_a, scores_b);
  std::set<std::string> known;
  for (const auto* scores : {&scores_a, &scores_b})
    for (const auto& score : *scores) known.insert(score.metric);
  if (store != nullptr)
    for (const auto& name : results::metric_names(*store)) known.insert(name);
  const WantedMetrics wanted(request.metrics, known);
  const bool pooled = statistics.over_datasets;
  const Arranged a = arrange(std::move(scores_a), request.a, wanted, pooled);
  const Arranged b = arrange(std::move(scores_b), request.b, wanted, pooled);
  return options.has("leakage-criterion")
             ? print_criterion(request, a, b, statistics.alpha, format)
             : print_tests(options, request, a, b, wanted, statistics, format);
}

}  // namespace conoscope::app
