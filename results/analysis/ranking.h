// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "results/formats/table.h"

namespace conoscope::results {

// What a reader looks for on a board, as board() gives it: rows of one contest are ranked
// together.

/// Marks the best mean by this metric of those over all seeds asked for, and what equals it.
/// direction  higher, lower, or none: no mark
void mark_best(Table& board, const std::string& metric, const std::string& direction);

/// Puts a line for each control (a column METRIC@CONTROL) where it stands in the ranking by this
/// metric, at the mean of its means over the explainers: who stands below it does no better than
/// chance. No line for a metric whose direction is none.
void add_control_lines(Table& board, const std::string& metric, const std::string& direction);

}  // namespace conoscope::results
