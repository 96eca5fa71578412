// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "results/store/store.h"

namespace conoscope::results {

/// The key of a component: what it is, without its name. content is part of params.
std::string component_key(const ComponentRow& row);

/// The key of a cell: its components' keys, seed and control.
std::string cell_key(const CellRow& row);

/// The key of a run: its name, and what it asks for in any order.
std::string run_key(const std::string& name, std::vector<std::string> cells,
                    std::vector<std::string> metrics);

/// Stands for the text of the run file that a measured run does not have. The key of such a run is its
/// caller's own.
inline constexpr const char* kMeasuredText = "# conoscope measure\n";

/// Is everything what its key says, and of the past? Whoever can write a store can write its checksums
/// too; these rows follow from each other:
///
///   - the keys of components and cells are those of their columns. A component whose plugin could not
///     be read (version "unknown") is known by the hash of one of the store's plugin files.
///   - a run asks for what its key says, no cell and no metric less
///   - the content of a component is that of its one file, and there is none where it has no files
///   - a component's name is one that a run has for it
///   - no date, and no number of an attempt, is more than a day ahead of this machine's clock
///
/// throws  StoreError (corrupt): says what is not
void require_identities(Store& store);

}  // namespace conoscope::results
