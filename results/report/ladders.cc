// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "results/analysis/ladder.h"
#include "results/analysis/verdict.h"
#include "results/formats/human_text.h"
#include "results/report/sections.h"

namespace conoscope::results {

namespace {

constexpr const char* kSteps[] = {"perfect", "half", "random"};

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
      // The run's own ladders, else those of the newest run that put this metric to the test.
      std::vector<std::string> order = {run.key};
      order.insert(order.end(), with_ladder.begin(), with_ladder.end());
      const auto [from, found] = whole_ladders(context.store, order, with_ladder, metric);
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
