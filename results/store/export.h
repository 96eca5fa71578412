#pragma once

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

}  // namespace conoscope::results
