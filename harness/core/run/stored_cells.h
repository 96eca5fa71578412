// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/core/border/registry.h"
#include "harness/core/plan/plan.h"
#include "results/store/store.h"

namespace conoscope::core {

/// Where the parts of other people's cells are sought.
struct StoredCellSources {
  const Registry& registry;
  const Quarantine& quarantine;
  /// For relative files, one at least. Where none has it, and for an absolute one that is not there, the
  /// end of the path will do: what the file holds has to be the same anyway.
  std::vector<std::filesystem::path> data_folders;
};

struct StoredCells {
  Plan plan;                                  ///< of the cells that can be run again
  std::map<std::string, std::string> reason;  ///< why each of the others cannot, by key
};

/// Plans cells of a store as the run that they were made by did: a component is what that run's file
/// asks for, and is the stored one only if its key, which is made of its version, parameters and the
/// content of its data files, is the same.
///
/// The file may be a stranger's. It chooses parameters, data files and limits, but no code: a plugin
/// is sought in the registry, by its id or the name of its file, and `plugin_path` and `python` are
/// not heeded.
///
/// run      key of the run
/// cells    keys; metrics: of all scores that are wanted of them
/// scratch  a folder, in which the run file's text is put
StoredCells plan_stored_cells(results::Store& store, const std::string& run,
                              const std::set<std::string>& cells,
                              const std::set<std::string>& metrics,
                              const StoredCellSources& sources,
                              const std::filesystem::path& scratch);

}  // namespace conoscope::core
