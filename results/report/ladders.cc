// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "results/analysis/ladder.h"
#include "results/analysis/verdict.h"
#include "results/formats/human_text.h"
#include "results/report/sections.h"

namespace conoscope::results {

namespace {

constexpr const char* kSteps[] = {"perfect", "half", "random"};

/// The run's own ladders, else those of the newest run that put this metric to the test.
std::vector<Ladder> ladders_of(const ReportContext& context, const ReportedRun& run,
                               const std::vector<std::string>& with_ladder,
                               const std::string& metric, std::string& from) {
  std::vector<std::string> order = {run.key};
  order.insert(order.end(), with_ladder.begin(), with_ladder.end());
  for (const std::string& key : order) {
    const auto asked = context.store.run_metrics(key);
    if (std::ranges::find(with_ladder, key) == with_ladder.end() ||
        std::ranges::find(asked, metric) == asked.end())
      continue;
    auto found = ladders(context.store, key, {metric});
    std::erase_if(found, [](const Ladder& ladder) {
      return std::ranges::any_of(ladder.steps, [](const auto& step) { return !step.asked; }) ||
             std::ranges::all_of(ladder.steps, [](const auto& s) { return s.by_seed.empty(); });
    });
    if (found.empty()) continue;
    from = key;
    return found;
  }
  return {};
}

}  // namespace

Section ladder_section(const ReportContext& context) {
  const auto with_ladder = ladder_runs(context.store);
  PageTable table(
      "ladder-table", "Means over seeds on the steps of each sanity ladder",
      {PageColumn("subject", "subject"), PageColumn("perfect", "perfect"),
       PageColumn("half random", "half"), PageColumn("random", "random"), "verdict", "from run"});
  const auto runs = context.store.runs();
  for (const ReportedRun& run : context.runs)
    for (const std::string& metric : run.metrics) {
      std::string from;
      const auto found = ladders_of(context, run, with_ladder, metric, from);
      if (found.empty()) continue;
      const auto named = std::ranges::find(runs, from, &RunRow::key);
      table.group(context.keys(run, "", "", metric));
      for (const Ladder& ladder : found) {
        const std::string subject =
            ladder.dataset + ": " + (ladder.of_models ? "" : "explanations of ") + ladder.subject;
        std::vector<PageCell> cells = {subject};
        std::vector<JsonObject> marks;
        JsonObject data;
        data.add("subject", subject);
        for (std::size_t i = 0; i < ladder.steps.size(); ++i) {
          const auto mean = mean_of(ladder.steps[i]);
          cells.push_back(human_text(field_of(mean)));
          if (mean) data.add(kSteps[i], *mean);
          for (const auto& [seed, value] : ladder.steps[i].by_seed)
            marks.push_back(JsonObject()
                                .add("step", std::string(kSteps[i]))
                                .add("seed", "seed " + std::to_string(seed))
                                .add("kind", std::string("seed"))
                                .add("value", value));
          if (mean)
            marks.push_back(JsonObject()
                                .add("step", std::string(kSteps[i]))
                                .add("kind", std::string("mean"))
                                .add("value", *mean));
        }
        const std::string said = verdict(ladder);
        cells.push_back(said.empty() ? "-" : said);
        cells.push_back(named == runs.end() ? from : named->name);
        table.add(cells, data.add("verdict", said).add("marks", marks));
      }
    }
  Section section{"ladder", "Can the metric be trusted?", ""};
  if (table.empty()) return section;
  section.html =
      "<p>A metric must put a perfect subject before a partly random one, and that before a random "
      "one, beyond twice the standard error of the differences seed by seed; else no ranking by it "
      "means much. Of explanations the half-way step has random importances. Thin lines are "
      "seeds.</p>\n" +
      figure_html("ladder", "ladder-table") + table.folded_html();
  return section;
}

}  // namespace conoscope::results
