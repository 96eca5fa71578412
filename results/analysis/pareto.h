// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "results/formats/table.h"

namespace conoscope::results {

/// A metric, and which end of it is the better one.
struct ParetoAxis {
  std::string metric;
  bool higher = false;
};

/// Which rows does no other row beat? Puts a column `pareto` behind `coverage`: yes, or no where
/// another row of its contest (board.h) is at least as good on every axis and better on one, by
/// the means. NULL: not every seed has a number on every axis; such a row beats nobody.
///
/// board  as board() gives it, with a column for each axis
/// throws std::invalid_argument: no axis, or one without a column
void mark_pareto(Table& board, const std::vector<ParetoAxis>& axes);

}  // namespace conoscope::results
