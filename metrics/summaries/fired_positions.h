// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/faithfulness/explained_head.h"

// Where in a sample a concept fires, small enough for a summary.

namespace conoscope::metrics {

inline constexpr Index kPositionRows = 8;

/// row_0 ... row_7, as a summary's columns.
std::vector<std::string> position_columns();

/// psi at each position of a sample, before the head pools them, as a grid of at most 8 x 8: of more
/// positions the means over areas. Empty: the head has one position, positions that are no square, or
/// other weights for each (a flattened head).
Matrix fired_positions(const ExplainedHead& of, Index output, Index concept_of_output,
                       Index sample);

/// The grid as eight numbers, one for each row; NaN for a row that there is not:
///
///   sum_c level_c 64^c,   level_c = round(63 max(0, activation_c) / most)
///
/// most  the activation that is drawn strongest; 0 or less: nothing fires
std::vector<double> packed_positions(const MatrixRef& grid, double most);

}  // namespace conoscope::metrics
