// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/boards/board.h"
#include "results/store/store.h"

namespace conoscope::results {

/// A summary as it is declared; its columns never change under one name.
struct SummaryShape {
  std::string name;
  std::vector<std::string> columns;
};

/// One cell's table of a summary.
struct CellSummary {
  std::string cell, dataset, model, explainer, control;  ///< explainer empty: of the model itself
  std::int64_t seed = 0;
  BoardSubject subject;
  std::vector<double> values;  ///< rows, one after another; NaN: there is no number

  double at(std::size_t row, std::size_t column, std::size_t columns) const {
    return values[row * columns + column];
  }
};

/// By dataset, model, explainer, control and seed.
/// throws  StoreError (corrupt): numbers that are no whole rows
std::vector<CellSummary> cell_summaries(Store& store, const std::string& run,
                                        const SummaryShape& shape);

/// All cells' rows below each other, led by what tells the cells apart.
Table summary_table(const std::vector<CellSummary>& cells, const SummaryShape& shape);

}  // namespace conoscope::results
