// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "harness/core/plan/plan.h"
#include "results/store/store.h"

namespace conoscope::core {

struct OverSeeds {
  /// By cell, as indices of the plan: the peers that it is now to be compared with.
  std::map<std::size_t, std::vector<std::size_t>> to_score;
  std::size_t waiting = 0;  ///< cells none of whose peers is there
};

/// Which of these cells are to be scored over seeds: those that are finished and have a finished peer,
/// and whose scores that count lack one of these peers, or compare with a cell that counts no more.
/// Scores that compare with more peers than the run asks for are good: the store had them.
OverSeeds over_seeds_to_do(const Plan& plan, const std::vector<std::size_t>& cells,
                           results::Store& store);

}  // namespace conoscope::core
