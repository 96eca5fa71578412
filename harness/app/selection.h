#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/core/plan/plan.h"
#include "results/store/store.h"

namespace conoscope::app {

/// Which cells of a plan are to be done now: asked, minus finished, minus what --only and --shard
/// leave out. Indices into plan.cells.
///
/// only   KEY=VALUE texts; KEY: dataset, model, explainer (name or id), seed, control, cell (prefix
///        of its key). Several values of one key: any of them; several keys: all of them.
/// shard  "i/N", 1 <= i <= N, or empty. A cell and its controls stay in one shard.
/// throws UsageError: an unknown key, a value that fits no cell, a malformed shard
std::vector<std::size_t> select_cells(const core::Plan& plan, const std::set<std::string>& finished,
                                      const std::vector<std::string>& only,
                                      const std::string& shard);

/// Says on stderr how many cells are done, but by other plugin files than those of today, although
/// the version is the same.
void report_changed_plugins(const core::Plan& plan, results::Store& store,
                            const std::set<std::string>& finished);

}  // namespace conoscope::app
