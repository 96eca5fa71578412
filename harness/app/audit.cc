// SPDX-License-Identifier: Apache-2.0
// Does a metric measure what it should, and how finely?

#include "results/analysis/audit.h"

#include <algorithm>
#include <iostream>

#include "harness/app/command.h"
#include "harness/app/metric_order.h"
#include "harness/app/options.h"
#include "harness/app/plot_option.h"
#include "harness/app/store_options.h"
#include "harness/core/names.h"
#include "metrics/catalogue.h"

namespace conoscope::app {

namespace {

/// -m: metrics, and groups of them, of which the run asks for some; else all that can be judged.
std::vector<std::string> metrics_of(const Options& options, results::Store& store,
                                    const std::string& run) {
  const auto asked = store.run_metrics(run);
  std::vector<std::string> out;
  if (!options.has("metric")) {
    std::ranges::copy_if(in_catalogue_order(asked), std::back_inserter(out), can_be_judged);
    return out;
  }
  for (const auto& word : options.list("metric")) {
    std::vector<std::string> found;
    if (core::contains(asked, word))
      found = {word};
    else
      for (const auto* metric : metrics::catalogue().select(word))
        if (core::contains(asked, metric->name)) found.emplace_back(metric->name);
    if (found.empty())
      throw UsageError("audit: the run asks for no metric " + word +
                       core::did_you_mean(word, asked));
    for (const auto& metric : found)
      if (!core::contains(out, metric)) out.push_back(metric);
  }
  return out;
}

/// The entries' means, in the place of intervals half the smallest reliable difference: what overlaps is
/// not told apart. The twins' means stand beside.
results::Table picture_of(const std::vector<results::Audit>& audits) {
  using results::Column;
  results::Table out{{Column::text("dataset"), Column::text("model"), Column::text("explainer"),
                      Column::estimate(audits[0].metric), Column::estimate("best twin")},
                     {}};
  for (const results::Audit& audit : audits)
    for (const results::AuditedEntry& entry : audit.entries) {
      if (!entry.complete) continue;
      const results::BoardEntry& score = entry.score;
      results::Estimate own = score.estimate, twin;
      own.half_width.reset();
      if (audit.reliable) own.half_width = *audit.reliable / 2.0;
      if (entry.twin_mean) {
        twin.mean = *entry.twin_mean;
        twin.n = twin.asked = score.n;
      }
      out.add({score.dataset, score.model, score.explainer, own, twin});
    }
  const bool twins = std::ranges::any_of(
      out.rows, [](const auto& row) { return std::get<results::Estimate>(row.back()).n > 0; });
  if (!twins) out.keep({"dataset", "model", "explainer", audits[0].metric});
  return out;
}

}  // namespace

int audit_command(const Arguments& arguments) {
  Options options(
      "audit [RUN] [options]",
      "Puts the metrics of a run to the test, on every model of every dataset: how much\n"
      "their scores scatter over seeds, which differences are more than that (mrd: two\n"
      "means of equal truth differ by less in 95 of 100 cases; mde: the true difference\n"
      "that is found in 80), whether they tell entries apart, put them in the order of\n"
      "the known truth (truth_mcc, truth_f1), and tell what was learnt from twins that\n"
      "learnt nothing. s pools the seeds of all entries; mrd and mde are rounded up.\n"
      "\"Welch\": the noisiest entry has more than twice the pooled s; for its pairs\n"
      "`conoscope compare --unpaired`. RUN is a name or the start of a key; default: the\n"
      "newest run.",
      {"conoscope audit quick", "conoscope audit quick -m surf_emd --entries",
       "conoscope audit quick -m surf_emd --plot surf_emd.svg",
       "conoscope audit quick --seeds 10 --format json"});
  options.positional("run", 1);
  options.with_store();
  options.with_verify();
  options.texts("metric,m", "NAME",
                "a metric or a group of them; may be repeated (default: all that rank)");
  options.integer("seeds", "N", "mrd and mde of means over so many seeds; default: the run's");
  options.flag("entries", "a row for each entry instead: its mean, its best twin and their gap");
  options.with_component_filters();
  add_plot(options);
  options.with_format();
  if (!options.parse(arguments)) return kOk;
  const auto format = options.format();
  results::AuditOptions how;
  how.by_seed = true;
  if (options.has("seeds"))
    how.seeds = static_cast<std::int64_t>(options.number("seeds", 1, 1000000));
  auto store = open_store(options);
  results::BoardOptions filters;
  filters.run = run_of(options, store);
  if (filters.run.empty()) {
    const auto runs = store.runs();
    if (runs.empty()) throw UsageError("the store holds no run yet; start with `conoscope run`");
    filters.run = runs.back().key;
  }
  filters.metrics = metrics_of(options, store, filters.run);
  take_component_filters(options, store, filters);
  const auto audits = results::audits(store, filters, how);
  if (audits.empty()) {
    std::cerr << "nothing to show: "
              << (filters.metrics.empty() ? "this run asks for no metric that ranks"
                                          : "no score of this run fits these filters")
              << " (`conoscope status" << options.store_words() << "` says what is missing)\n";
    return kSomeFailed;
  }
  if (options.has("entries"))
    std::cout << results::to_text(results::audited_entries(audits), format);
  else if (format.for_people)
    print(results::audit_tables(audits), format);
  else
    std::cout << results::to_text(results::audit_table(audits), format);
  if (options.has("plot")) {
    if (std::ranges::any_of(audits,
                            [&](const auto& one) { return one.metric != audits[0].metric; }))
      throw UsageError("--plot: metrics share no axis; choose one with -m NAME");
    write_plot(options, picture_of(audits),
               audits[0].metric + ": lines that overlap are not told apart");
  }
  return kOk;
}

}  // namespace conoscope::app
