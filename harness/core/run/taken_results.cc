// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/taken_results.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "harness/core/run/registration.h"
#include "results/store/binaries.h"
#include "results/store/merge.h"
#include "results/store/sqlite.h"

namespace conoscope::core {

TakenResults take_results(const Plan& plan, results::Store& store, results::Store& other) {
  const auto before = finished_cells(plan, store);
  const std::set<std::string> metrics(plan.metrics.begin(), plan.metrics.end());
  Lacking here(plan, store), there(plan, other);
  results::Statement good(other.connection(),
                          "SELECT attempt.id, attempt.binaries FROM valid_attempt "
                          "JOIN attempt USING (id) WHERE valid_attempt.cell = ? "
                          "AND valid_attempt.status IN ('ok', 'not_applicable')");
  std::vector<std::string> attempts;
  for (const Cell& cell : plan.cells) {
    if (before.contains(cell.key)) continue;
    const auto lacks_there = there.scores_of(cell);
    if (std::ranges::all_of(here.scores_of(cell), [&lacks_there](const std::string& score) {
          return lacks_there.contains(score);
        }))
      continue;
    const std::string today = plan.binaries_of(cell, metrics);
    good.bind_all(cell.key);
    while (good.step())
      if (results::same_files(good.text(1), today)) attempts.push_back(good.text(0));
  }
  TakenResults out;
  if (!attempts.empty())
    out.attempts =
        static_cast<std::size_t>(results::merge_attempts(store, other, attempts).at("attempt"));
  const auto after = finished_cells(plan, store);
  out.cells = after.size() - before.size();
  const auto finished_there = finished_cells(plan, other);
  for (const std::string& cell : good_cells(plan, other))
    out.others += !finished_there.contains(cell) && !after.contains(cell);
  return out;
}

}  // namespace conoscope::core
