// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "results/store/store.h"

namespace conoscope::core {

/// Folders of the cache; empty: it is not there, or the cell has none.
struct KeptArtifacts {
  std::filesystem::path dataset, model, explanation;
};

/// Where a cache has the artifacts that a cell's newest attempt was scored from, or an older one,
/// where it no longer has those. The keys follow from what the store knows: no run file is needed.
///
/// cell  its key
KeptArtifacts kept_artifacts(results::Store& store, const std::string& cell,
                             const std::filesystem::path& cache);

}  // namespace conoscope::core
