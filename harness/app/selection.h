// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/core/plan/split.h"
#include "results/store/store.h"

namespace conoscope::app {

/// The i-th of N parts of a run.
struct Shard {
  std::size_t i = 1, of = 1;
};

/// "i/N", or empty for the whole.
/// throws  UsageError: not 1 <= i <= N
Shard parse_shard(const std::string& text);

/// How `--shard i/N` splits a plan: by its cells alone, so that machines that know nothing of each
/// other take different parts.
core::Split split_of(const core::Plan& plan, std::size_t shards);

/// The models that several shards make, of these the i-th of N parts; of a whole run all models.
/// Indices into plan.nodes.
std::vector<std::size_t> shared_models(const core::Plan& plan, const core::Split& split,
                                       const Shard& part);

/// Which cells of a plan are to be done now: asked, minus finished, minus what --only and --shard
/// leave out. Indices into plan.cells.
///
/// only   KEY=VALUE texts; KEY: dataset, model, explainer (name or id), seed, control, cell (prefix
///        of its key). Several values of one key: any of them; several keys: all of them.
/// shard  "i/N", 1 <= i <= N, or empty
/// split  what the shards are; nullptr: those of split_of()
/// throws UsageError: an unknown key, a value that fits no cell, a malformed shard, a split into
///        another number of shards
std::vector<std::size_t> select_cells(const core::Plan& plan, const std::set<std::string>& finished,
                                      const std::vector<std::string>& only,
                                      const std::string& shard, const core::Split* split = nullptr);

/// Says on stderr how many cells are done, but by other plugin files or packages than those of today,
/// and which.
void report_changed_plugins(const core::Plan& plan, results::Store& store,
                            const std::set<std::string>& finished);

/// Says on stderr by which files and packages a store has what the plan's plugins would make, and by
/// which it would be made today: a few of them.
void print_changed_files(const core::Plan& plan, results::Store& store);

}  // namespace conoscope::app
