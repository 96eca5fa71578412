// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "results/store/sqlite.h"

namespace conoscope::results {

/// The schema this library writes: the number of its migrations.
std::int64_t newest_schema();

/// False: a store of an older schema.
///
/// throws  StoreError: not_a_database, not_a_store (an empty file too), newer_schema
bool has_newest_schema(Connection& connection);

/// A store of that schema, from 1 to newest_schema(), without a row.
void make_store(Connection& empty, std::int64_t schema);

/// Brings a new, empty or older store to the newest schema, each step in the same transaction.
///
/// throws  StoreError: not_a_database, not_a_store, newer_schema, disk_full, ...
void migrate(Connection& connection);

}  // namespace conoscope::results
