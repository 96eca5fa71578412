#pragma once

#include <string>
#include <vector>

#include "results/formats/table.h"
#include "results/store/store.h"

namespace conoscope::results {

struct BoardOptions {
  std::string run;                        ///< key; empty: what any run asked for
  std::vector<std::string> metrics;       ///< columns; the first one ranks
  std::string dataset, model, explainer;  ///< key, name or plugin id; empty: all
  bool controls = false;                  ///< the controls' means of the first metric beside
};

/// Who explains best? One row per (dataset, model, explainer), ranked inside (dataset, model).
///
/// Columns: rank, dataset, model, explainer, coverage (seeds with a number / seeds asked), each
/// metric as mean over seeds with the half-width of its 95 % t interval and what the metric says
/// about these scores; with controls, a column <first metric>@<control> for each control that was
/// asked for.
/// An incomplete entry never ranks before a complete one; see queries/board.sql.
///
/// throws  std::invalid_argument: no metric given
///         StoreError (not_found): no run asks for the metric; lists those there are
Table board(Store& store, const BoardOptions& options);

}  // namespace conoscope::results
