// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "harness/core/plan/plan.h"
#include "results/store/store.h"

namespace conoscope::core {

// What a run and its store say to each other before work begins.

/// Says in the store what the run asks for. Needed before run_cells() and for boards.
void register_run(const Plan& plan, results::Store& store);

/// What a plan's cells lack of the scores that are asked for, but those over seeds. Cells that nobody has
/// tried until now lack all, and the store is not asked about them.
class Lacking {
 public:
  enum class Files { kOfToday, kAny };
  explicit Lacking(const Plan& plan, results::Store& store, Files files = Files::kOfToday);

  /// The scores that the store does not have, or has of other plugin files. A metric plugin whose
  /// metadata cannot be read stands for its scores, by its name. Empty: the cell is done.
  std::set<std::string> scores_of(const Cell& cell);

  /// How many scores are asked for.
  std::size_t asked() const { return asked_.size(); }

 private:
  bool are_same(const std::string& binaries, const std::string& today);

  const Plan& plan_;
  results::Store& store_;
  Files files_;
  const std::set<std::string> tried_;         ///< cells, when this was made
  std::map<std::string, std::string> asked_;  ///< and which metric plugin gives it, as binaries
  std::map<std::pair<std::string, std::string>, bool> same_;  ///< of two AttemptRow::binaries
};

/// The cells that are done, by whatever plugin files and for whatever run.
std::set<std::string> good_cells(const Plan& plan, results::Store& store);

/// The cells that need no work: what counts of them was made by the plugin files of today.
std::set<std::string> finished_cells(const Plan& plan, results::Store& store);

/// What makes cells anew that were good: "plugin svd: 1.0.0 0123456789abcdef, now ...", "numpy of plugin
/// my_ica: 1.24.2, now 2.0.0".
std::set<std::string> changed_files(const Plan& plan, results::Store& store);

/// The plan's plugins that processes of their own run, a line each, with the versions of what runs
/// them; one that nothing can run is left out.
std::string process_plugins(const Plan& plan);

/// This machine, system and build, as attempts refer to them.
results::EnvironmentRow environment_row(bool confine, const std::string& process_plugins);

/// Now, as the store writes times.
std::string now_text();

}  // namespace conoscope::core
