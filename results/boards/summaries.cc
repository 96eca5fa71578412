// SPDX-License-Identifier: Apache-2.0
#include "results/boards/summaries.h"

#include <cmath>
#include <limits>

#include "results/store/error.h"
#include "results/store/sql.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

std::vector<CellSummary> cell_summaries(Store& store, const std::string& run,
                                        const SummaryShape& shape) {
  Statement& query = store.connection().kept(query_text("summaries"));
  query.bind_filter("summary", shape.name).bind_filter("run", run);
  std::vector<CellSummary> out;
  while (query.step()) {
    if (out.empty() || out.back().cell != query.text(0))
      out.push_back({query.text(0),
                     query.text(1),
                     query.text(2),
                     query.text(3),
                     query.text(4),
                     query.integer(5),
                     {query.text(6), query.text(7), query.text(8)},
                     {}});
    out.back().values.push_back(query.is_null(10) ? std::numeric_limits<double>::quiet_NaN()
                                                  : query.real(10));
  }
  query.reset();
  for (const CellSummary& one : out)
    if (one.values.size() % shape.columns.size() != 0)
      throw StoreError(StoreProblem::corrupt, shape.name + " of cell " + one.cell + " has " +
                                                  std::to_string(one.values.size()) +
                                                  " numbers, which are no rows of " +
                                                  std::to_string(shape.columns.size()));
  return out;
}

namespace {

constexpr std::size_t kCellColumns = 6;  // that tell the cells apart

}  // namespace

Table summary_table(const std::vector<CellSummary>& cells, const SummaryShape& shape) {
  Table out{{Column::text("dataset"), Column::text("model"), Column::text("explainer"),
             Column::text("control"), Column::integer("seed"), Column::text("cell")},
            {}};
  for (const std::string& column : shape.columns)
    out.columns.push_back({column, ColumnType::kReal});
  const std::size_t width = shape.columns.size();
  for (const CellSummary& one : cells)
    for (std::size_t row = 0; row < one.values.size() / width; ++row) {
      // NULL where there is no explainer, and no number.
      std::vector<Field> fields(kCellColumns + width);
      fields[0] = one.dataset;
      fields[1] = one.model;
      if (!one.explainer.empty()) fields[2] = one.explainer;
      fields[3] = one.control;
      fields[4] = one.seed;
      fields[5] = one.cell;
      for (std::size_t c = 0; c < width; ++c)
        if (const double value = one.at(row, c, width); !std::isnan(value))
          fields[kCellColumns + c] = value;
      out.add(std::move(fields));
    }
  return out;
}

}  // namespace conoscope::results
