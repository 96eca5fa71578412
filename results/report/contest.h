// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/boards/board.h"
#include "results/store/store.h"

namespace conoscope::results {

/// A method in a contest: its board entry, its randomised twins, and why numbers are missing.
struct Entrant {
  std::string method;
  BoardEntry score;
  std::vector<BoardEntry> twins;  ///< by control
  std::string missing;            ///< empty: every seed has its number
};

/// Whose scores of one metric stand beside each other: the explainers of one model on one dataset,
/// by the ranks of the board. Models that nothing explains compete with each other on their dataset,
/// by the board's rules; where every dataset has one alone (codes of several encoders, say), these.
struct Contest {
  std::string dataset, model;
  bool paired = true;  ///< entrants share their dataset, so that equal seeds belong together
  std::vector<Entrant> entrants;  ///< by rank; those without a rank come last, by name
};

/// What the selectors say where models compete.
inline constexpr const char* kEveryModel = "the models themselves";
inline constexpr const char* kEveryDataset = "every dataset";

/// direction  of the metric: higher, lower or none
std::vector<Contest> contests(Store& store, const std::string& run, const std::string& metric,
                              const std::string& direction);

/// By subject and control, then seed.
using SeedScores = std::map<std::pair<BoardSubject, std::string>, std::map<std::int64_t, double>>;

/// What every seed of a run scored by a metric, under every control.
SeedScores seed_scores(Store& store, const std::string& run, const std::string& metric);

}  // namespace conoscope::results
