// SPDX-License-Identifier: Apache-2.0
#include "results/boards/kinds.h"

#include <array>
#include <stdexcept>

namespace conoscope::results {

std::span<const BoardKindInfo> board_kinds() {
  static constexpr std::array<BoardKindInfo, 7> kKinds = {{
      {BoardKind::ranking, "ranking",
       "one row per dataset, model and explainer: means over seeds, the controls beside"},
      {BoardKind::across, "across", "one row per explainer, one column per dataset and metric"},
      {BoardKind::sanity, "sanity",
       "the measures put to the test: does each one rank perfect before random subjects?"},
      {BoardKind::select_k, "select-k",
       "the smallest number of concepts K that is as good as the best"},
      {BoardKind::curve, "curve", "the mean at every K with its 95 % interval"},
      {BoardKind::budget, "budget",
       "methods with as many numbers for an output: each at its largest K within --budget", false},
      {BoardKind::correlation, "correlation",
       "does each metric predict the one that --with names, from model to model?", false},
  }};
  return kKinds;
}

std::string command_of(BoardKind kind) {
  for (const BoardKindInfo& info : board_kinds())
    if (info.kind == kind) return "board " + std::string(info.name);
  throw std::logic_error("board_kinds() leaves a kind out");
}

std::optional<BoardKind> parse_board_kind(std::string_view name) {
  for (const BoardKindInfo& info : board_kinds())
    if (info.name == name) return info.kind;
  return std::nullopt;
}

}  // namespace conoscope::results
