// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/peers.h"

#include <algorithm>
#include <set>
#include <string>

#include "harness/core/plan/over_seeds.h"
#include "harness/core/run/registration.h"
#include "results/store/binaries.h"

namespace conoscope::core {

OverSeeds over_seeds_to_do(const Plan& plan, const std::vector<std::size_t>& cells,
                           results::Store& store) {
  OverSeeds out;
  const auto all_peers = peers_of_cells(plan);
  if (all_peers.empty()) return out;
  const auto finished = finished_cells(plan, store);
  std::map<std::string, std::map<std::string, results::ScoreOverSeeds>> scored;  // metric, cell
  for (const std::size_t i : cells) {
    const auto asked = all_peers.find(i);
    const Cell& cell = plan.cells[i];
    if (asked == all_peers.end() || finished.count(cell.key) == 0) continue;
    std::vector<std::size_t> there;
    for (const std::size_t peer : asked->second)
      if (finished.count(plan.cells[peer].key) != 0) there.push_back(peer);
    if (there.empty()) {
      ++out.waiting;
      continue;
    }
    const bool done =
        std::all_of(cell.peer_metrics.begin(), cell.peer_metrics.end(), [&](const auto& metric) {
          if (scored.count(metric) == 0) scored[metric] = store.scores_over_seeds(metric);
          const auto known = scored[metric].find(cell.key);
          return known != scored[metric].end() &&
                 results::same_files(known->second.binaries, cell.binaries) &&
                 std::all_of(there.begin(), there.end(), [&](std::size_t peer) {
                   return known->second.peers.count(plan.cells[peer].key) != 0;
                 });
        });
    if (!done) out.to_score[i] = std::move(there);
  }
  return out;
}

}  // namespace conoscope::core
