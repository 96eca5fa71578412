// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results/formats/table.h"

namespace conoscope::results {

/// How does one method fare everywhere? A board (board.h) turned, the layout of the SURF paper's
/// Table 4: one row per explainer, one column
/// per (dataset, metric), or (dataset, model, metric) where several models of a dataset are
/// explained. A model that is judged itself has a row of its own.
///
/// Rows stand in the order of the first dataset's ranks; those that it does not have follow by
/// name. A column that holds no number is left out, and so are the controls' columns.
///
/// throws  std::invalid_argument: the table is not a board
Table across_datasets(const Table& board);

}  // namespace conoscope::results
