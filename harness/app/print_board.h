#pragma once

#include <string>
#include <vector>

#include "results/boards/board.h"
#include "results/formats/format.h"

namespace conoscope::app {

/// Prints a leaderboard to standard output. metrics empty: the first few that the run asks for, in
/// the catalogue's order; run empty: over all runs. across: turned, see results/boards/across.h.
void print_board(results::Store& store, const std::string& run, std::vector<std::string> metrics,
                 const results::BoardOptions& filters, results::Format format, bool across = false);

}  // namespace conoscope::app
