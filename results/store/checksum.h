// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "results/store/store.h"

namespace conoscope::results {

class Connection;

/// Saves the hash of an attempt, as the store holds it now: its row, its cell, the components and what
/// they are made of, its scores with the direction of each, and their parts. Names, citations and
/// whatever else may differ between stores that are merged is left out.
void add_checksum(Connection& connection, std::string_view attempt);

/// A store of that schema has these tables, views and triggers and no others: those of a stranger's
/// could run for ever, or change what is written beside them.
/// throws  StoreError: corrupt
void require_schema(Connection& connection, std::int64_t schema);

/// add_checksum() for every attempt that has none, as in a store from before schema 3.
void add_missing_checksums(Connection& connection);

/// Reads the whole store and looks whether it is what was written: SQLite's own check of its pages,
/// references and rules, the schema, the key of every environment, the checksum of every attempt, and
/// whether the scores that count are those that follow from the attempts.
///
/// throws  StoreError (corrupt): says what is not, and of which attempt
void verify(Store& store);

}  // namespace conoscope::results
