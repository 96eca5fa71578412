// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "results/boards/parts.h"
#include "results/formats/human_text.h"
#include "results/report/sections.h"

namespace conoscope::results {

namespace {

constexpr std::array<std::pair<const char*, double>, 5> kLevels = {
    {{"low", 0.05}, {"q1", 0.25}, {"median", 0.5}, {"q3", 0.75}, {"high", 0.95}}};

/// Linear between order statistics.
double quantile(const std::vector<double>& sorted, double level) {
  const double at = level * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  if (below + 1 == sorted.size()) return sorted.back();
  const double share = at - static_cast<double>(below);
  return sorted[below] * (1 - share) + sorted[below + 1] * share;
}

void add_row(PageTable& table, const Entrant& entrant, const Parts& parts) {
  std::vector<double> all;
  for (const auto& [part, values] : parts) all.insert(all.end(), values.begin(), values.end());
  std::ranges::sort(all);
  std::vector<PageCell> cells = {entrant.method, std::to_string(parts.size())};
  JsonObject data;
  data.add("method", entrant.method);
  for (const auto& [name, level] : kLevels) {
    const double value = quantile(all, level);
    cells.push_back(human_text(value));
    data.add(name, value);
  }
  table.add(cells, data.add("mean", quantile(all, 0.5)));
}

}  // namespace

Section spread_section(const ReportContext& context) {
  PageTable table(
      "spread-table", "Quantiles over the parts of the score, all seeds together",
      {kMethodColumn, "parts", PageColumn("5 %", "low"), PageColumn("25 %", "q1"),
       PageColumn("median", "median"), PageColumn("75 %", "q3"), PageColumn("95 %", "high")});
  for (const ReportedRun& run : context.runs)
    for (const std::string& metric : run.metrics) {
      if (is_drawn_as_matrix(metric)) continue;
      const auto parts = parts_of(context.store, run.key, metric);
      if (parts.empty()) continue;
      for (const Contest& contest : context.contests(run, metric)) {
        table.group(context.keys(run, contest.dataset, contest.model, metric));
        for (const Entrant& entrant : contest.entrants)
          if (const auto found = parts.find(entrant.score.subject); found != parts.end())
            add_row(table, entrant, found->second);
      }
    }
  Section section{"spread", "What is the score made of?", ""};
  if (table.empty()) return section;
  section.html =
      "<p>How the score's parts are spread: its concepts, factors or outputs, or its samples where "
      "the run keeps them (<code>sample_scores = true</code>). The thick line holds the middle "
      "half, the thin one nine tenths, the point is the median.</p>\n" +
      figure_html("spread", "spread-table") + table.folded_html();
  return section;
}

}  // namespace conoscope::results
