// SPDX-License-Identifier: Apache-2.0
#include "results/boards/status.h"
#include "results/formats/human_text.h"
#include "results/report/sections.h"
#include "results/store/query.h"

namespace conoscope::results {

Section overview_section(const ReportContext& context) {
  PageTable runs("run-table", "Cells by what became of them",
                 {"run", "created", "asked", "good", "not good", "key"});
  PageTable machines("machine-table", "Where it ran", {"environment", "attempts", "first", "last"});
  for (const ReportedRun& run : context.runs) {
    const Table table = status(context.store, run.key).runs;
    for (const auto& row : table.rows) {
      const auto text = [&](std::size_t i) { return human_text(row[i], table.columns[i]); };
      // Columns of status.sql: run, created_at, asked, good, then every other state, then the key.
      std::string rest;
      for (std::size_t i = 4; i + 1 < row.size(); ++i)
        if (text(i) != "0")
          rest += (rest.empty() ? "" : ", ") + text(i) + " " + table.columns[i].name;
      runs.add({run.label, text(1), text(2), text(3), rest.empty() ? "-" : rest, run.key});
    }
    const Table found = saved_query(context.store, "environments", {{"run", run.key}});
    if (found.rows.empty()) continue;
    machines.group(context.keys(run, "", "", ""));
    for (const auto& row : found.rows) {
      std::vector<PageCell> cells;
      for (std::size_t i = 0; i < row.size(); ++i) {
        std::string text = human_text(row[i], found.columns[i]);
        while (text.ends_with('\n')) text.pop_back();
        for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', end))
          text.replace(end, 1, "; ");
        cells.push_back(std::move(text));
      }
      machines.add(cells);
    }
  }
  Section section{"overview", "What was run", runs.folded_html()};
  if (!machines.empty()) section.html += machines.folded_html();
  return section;
}

}  // namespace conoscope::results
