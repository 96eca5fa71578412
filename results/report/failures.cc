// SPDX-License-Identifier: Apache-2.0
#include "results/boards/status.h"
#include "results/formats/human_text.h"
#include "results/report/sections.h"

namespace conoscope::results {

namespace {

/// Appends a query's rows, all but the run's name, as the group of a run.
void add_rows(PageTable& table, const ReportContext& context, const ReportedRun& run,
              const Table& rows) {
  if (rows.rows.empty()) return;
  table.group(context.keys(run, "", "", ""));
  for (const auto& row : rows.rows) {
    std::vector<PageCell> cells;
    for (std::size_t i = 1; i < row.size(); ++i)
      cells.push_back(human_text(row[i], rows.columns[i]));
    table.add(cells);
  }
}

}  // namespace

Section failure_section(const ReportContext& context) {
  PageTable failures("failure-table", "Cells that are not complete",
                     {"dataset", "model", "explainer", "control", "seed", "status", "stage",
                      "signal", "exit code", "metrics", "message", "cell"});
  PageTable messages("message-table", "What metrics say about their scores",
                     {"no number because", "metric", "scores", "message"});
  for (const ReportedRun& run : context.runs) {
    const StatusReport report = status(context.store, run.key);
    add_rows(failures, context, run, report.failures);
    add_rows(messages, context, run, report.messages);
  }
  Section section{"failures", "What failed, and what to mind?", ""};
  if (!failures.empty()) section.html += failures.html();
  if (!messages.empty()) section.html += messages.html();
  return section;
}

}  // namespace conoscope::results
