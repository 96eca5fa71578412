// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "results/analysis/parsimony.h"
#include "results/boards/estimate.h"
#include "results/formats/human_text.h"
#include "results/report/sections.h"

namespace conoscope::results {

namespace {

void add_curve(PageTable& table, const Sweep& sweep) {
  std::optional<std::size_t> chosen;
  if (sweep.direction != "none")
    if (const auto found = select_k(sweep.points, sweep.direction == "higher"))
      chosen = found->chosen;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const ScoresAtK& point = sweep.points[i];
    const auto n = static_cast<std::int64_t>(point.by_seed.size());
    JsonObject data;
    data.add("method", sweep.method).add("k", point.k);
    Estimate estimate;
    if (n > 0) {
      estimate = estimate_of(point.values(), point.asked);
      data.add(estimate);
    }
    if (chosen == i) data.add("chosen", std::int64_t{1});
    table.add({sweep.method, std::to_string(point.k), human_text(Coverage{n, point.asked}),
               n > 0 ? human_text(estimate) : "-", chosen == i ? "chosen" : ""},
              data);
  }
}

void add_selection(PageTable& table, const Sweep& sweep) {
  const Table one = selection_table({sweep}, false);
  const auto& row = one.rows[0];
  const auto text = [&](std::size_t i) { return human_text(row[i], one.columns[i]); };
  std::vector<PageCell> cells = {sweep.method};
  for (std::size_t i = 5; i < row.size(); ++i) cells.push_back(text(i));  // behind the names
  table.add(cells, JsonObject().add("method", sweep.method).add("k", row[5]));
}

}  // namespace

Section concept_count_section(const ReportContext& context) {
  PageTable curve("curve-table", "Score by number of concepts K",
                  {kMethodColumn, PageColumn("K", "k"), "seeds", PageColumn("mean ± 95 %", "mean"),
                   "one-standard-error rule"});
  PageTable selection("selection-table", "The smallest K that is as good as the best",
                      {kMethodColumn, PageColumn("K", "k"), "score", "best K", "best", "rule",
                       "seeds", "complete", "range of K", "area"});
  for (const ReportedRun& run : context.runs) {
    SweepOptions options;
    options.run = run.key;
    options.metrics = run.metrics;
    options.count_parameters = context.options.count_parameters;
    std::map<std::tuple<std::string, std::string, std::string>, std::vector<Sweep>> groups;
    for (Sweep& sweep : sweeps(context.store, options))
      groups[{text_of(sweep.dataset), text_of(sweep.model), sweep.metric}].push_back(
          std::move(sweep));
    for (const auto& [place, group] : groups) {
      const auto& [dataset, model, metric] = place;
      const GroupKeys keys = context.keys(run, dataset, model, metric);
      curve.group(keys);
      for (const Sweep& sweep : group) add_curve(curve, sweep);
      selection.group(keys);
      for (const Sweep& sweep : group)
        if (sweep.direction != "none") add_selection(selection, sweep);
    }
  }
  Section section{"counts", "How many concepts?", ""};
  if (!curve.empty())
    section.html +=
        "<p>Mean over seeds at each number of concepts K, with the 95 % t interval as a band. The "
        "ring is the smallest K within one standard error of the best (<code>conoscope board "
        "select-k</code>).</p>\n" +
        figure_html("curve", "curve-table") + selection.html() + curve.folded_html();
  return section;
}

}  // namespace conoscope::results
