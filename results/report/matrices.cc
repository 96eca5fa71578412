#include <algorithm>
#include <cmath>

#include "results/analysis/estimate.h"
#include "results/formats/people.h"
#include "results/report/parts.h"
#include "results/report/sections.h"

namespace conoscope::results {

namespace {

/// A metric whose parts are a square matrix, row after row; docs/metrics.md says which.
struct Matrix {
  const char *metric, *picture, *caption, *row, *column;
};

constexpr Matrix kMatrices[] = {
    {"ois", "purity",
     "Purity matrix: how well the representation of one concept tells another one, as AUC",
     "representation of concept", "concept"},
    {"mi_ic", "information",
     "Mutual information of each representation with each concept, as a share of the concept's "
     "entropy",
     "representation of concept", "concept"},
};

void add_rows(PageTable& table, const Entrant& entrant, const Parts& parts) {
  const auto k = static_cast<std::int64_t>(std::lround(std::sqrt(parts.size())));
  // A part without a value leaves a hole; then the rest says which number it would have been.
  const std::int64_t last = parts.rbegin()->first;
  const std::int64_t side =
      k * k > last ? k
                   : static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(last + 1))));
  const Column score{.name = "", .type = ColumnType::estimate};
  for (const auto& [part, values] : parts) {
    const Estimate estimate =
        estimate_of(values, static_cast<std::int64_t>(entrant.score.estimate.n));
    const std::string row = std::to_string(part / side), column = std::to_string(part % side);
    table.add({entrant.method, row, column, human_text(estimate, score)},
              JsonObject()
                  .add("method", entrant.method)
                  .add("row", part / side)
                  .add("column", part % side)
                  .add("mean", estimate.mean)
                  .add("text", human_text(estimate, score)));
  }
}

}  // namespace

Section matrix_section(const ReportContext& context) {
  Section section{"matrices", "Pure, leaking, disentangled?", ""};
  for (const Matrix& matrix : kMatrices) {
    PageTable table(std::string(matrix.picture) + "-table", matrix.caption,
                    {{.title = "method", .by = "method", .method = true},
                     {.title = matrix.row, .by = "row"},
                     {.title = matrix.column, .by = "column"},
                     {.title = "mean ± 95 %", .by = "mean"}});
    for (const ReportedRun& run : context.runs) {
      if (std::ranges::find(run.metrics, matrix.metric) == run.metrics.end()) continue;
      const auto parts = parts_of(context.store, run.key, matrix.metric);
      for (const Contest& contest : contests(context.store, run.key, matrix.metric,
                                             context.metric(matrix.metric).direction)) {
        table.group(context.keys(run, contest.dataset, contest.model, ""));
        for (const Entrant& entrant : contest.entrants)
          if (const auto found = parts.find(entrant.score.subject); found != parts.end())
            add_rows(table, entrant, found->second);
      }
    }
    if (!table.empty()) section.html += figure_html("matrix", table.id()) + table.html();
  }
  if (!section.html.empty())
    section.html =
        "<p>Means over seeds. A pure, disentangled representation tells its own concept, on the "
        "diagonal, and of the others no more than they tell each other.</p>\n" +
        section.html;
  return section;
}

}  // namespace conoscope::results
