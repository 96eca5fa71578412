// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "results/formats/table.h"
#include "results/store/store.h"

namespace conoscope::results {

class Statement;

/// A .sql file that ships: its name, its text, and its first comment line.
struct SavedQuery {
  std::string name, summary, sql;
};

std::vector<SavedQuery> saved_queries();

/// What a query may take.
struct QueryLimits {
  std::size_t rows = 1'000'000;  ///< of the result, which is held in memory
  double seconds = 60;           ///< above 0, and less than the clock counts: up to 1e9
  /// Bytes: what SQLite holds while it works, and again what the result holds.
  std::size_t memory = std::size_t{512} << 20;
};

/// The rows of a user's own SQL. It can read everything and change nothing: every action but
/// reading is refused before the statement runs (also PRAGMA, ATTACH and loading of extensions),
/// whether or not the store was opened for writing.
///
/// parameters  by name without the colon; an empty value and a parameter not given are NULL
/// throws      StoreError: refused (it would write), bad_query (not SQL, no such parameter, more
///             than one statement, more than the limits)
Table query(Store& store, std::string_view sql,
            const std::map<std::string, std::string>& parameters = {}, QueryLimits limits = {});

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

/// Rows of a statement that is ready to run; a column's type is that of its values.
/// throws  StoreError: bad_query, more rows or bytes than these
Table table_of(Statement& statement, std::size_t most_rows = kAny, std::size_t most_bytes = kAny);

/// The rows of <name>.sql.
Table saved_query(Store& store, std::string_view name,
                  const std::map<std::string, std::string>& parameters);

}  // namespace conoscope::results
