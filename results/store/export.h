// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "results/formats/table.h"
#include "results/store/store.h"

namespace conoscope::results {

/// What came out, and nothing else: one row per asked (cell, metric) of a run (key; empty: of all),
/// sorted, without times, durations, attempt ids and hosts. Stores with equal outcomes give equal
/// tables, whatever the order, the shards, the merges and the retries. See boards/export.sql.
///
/// throws  StoreError (corrupt): the store is not what was written, see verify()
Table export_table(Store& store, const std::string& run = "");

/// The same rows a few thousand cells at a time, in the same order: a store may have more of them than
/// fit into memory. A column's type is that of its values in the part.
void export_in_parts(Store& store, const std::string& run,
                     const std::function<void(const Table& part)>& take,
                     std::size_t cells_of_a_part = 2000);

}  // namespace conoscope::results
