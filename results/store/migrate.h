#pragma once

#include <cstdint>

#include "results/store/sqlite.h"

namespace conoscope::results {

/// The schema this library writes: the number of its migrations.
std::int64_t newest_schema();

/// Refuses what is not a store of a schema this library understands.
///
/// throws  StoreError: not_a_database, not_a_store, newer_schema, and older_schema (or an empty
///         file) where the opening may not migrate
void require_readable_schema(Connection& connection);

/// Brings a new, empty or older store to the newest schema, each step in the same transaction.
///
/// throws  StoreError: not_a_database, not_a_store, newer_schema, disk_full, ...
void migrate(Connection& connection);

}  // namespace conoscope::results
