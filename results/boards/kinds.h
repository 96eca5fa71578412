// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace conoscope::results {

/// What a board is about.
enum class BoardKind { ranking, across, sanity, select_k, curve, budget, correlation };

struct BoardKindInfo {
  BoardKind kind;
  std::string_view name;  ///< in `conoscope board KIND`, and in a run file's `board`
  std::string_view summary;
  bool stands_alone = true;  ///< needs no option: a run file may ask for it
};

/// Every kind, the default first.
std::span<const BoardKindInfo> board_kinds();

/// As a user asks for it: "board select-k".
std::string command_of(BoardKind kind);

/// None: there is no such kind.
std::optional<BoardKind> parse_board_kind(std::string_view name);

}  // namespace conoscope::results
