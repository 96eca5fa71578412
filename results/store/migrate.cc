// SPDX-License-Identifier: Apache-2.0
#include "results/store/migrate.h"

#include <string>

#include "results/store/checksum.h"
#include "results/store/error.h"
#include "results/store/sql.h"

namespace conoscope::results {

namespace {

constexpr std::int64_t kApplicationId = 0x434F4E4F;  // "CONO" in the file header

struct Header {
  std::int64_t application = 0;
  std::int64_t schema = 0;
  bool empty = false;
};

Header header_of(Connection& connection) {
  Header header;
  // First: a store that another process commits between two of these then looks empty, not foreign.
  header.empty = connection.integer("SELECT count(*) FROM sqlite_schema") == 0;
  header.application = connection.integer("PRAGMA application_id");
  header.schema = connection.integer("PRAGMA user_version");
  return header;
}

void refuse_foreign_or_newer(const Connection& connection, const Header& header) {
  if (!header.empty && header.application != kApplicationId)
    throw StoreError(
        StoreProblem::not_a_store,
        connection.label() +
            ": an SQLite database, but not a store of conoscope; choose another --store");
  if (header.schema > newest_schema())
    throw StoreError(StoreProblem::newer_schema,
                     connection.label() + ": schema " + std::to_string(header.schema) +
                         " is newer than " + std::to_string(newest_schema()) +
                         ", which this conoscope understands; use a newer conoscope or another "
                         "--store");
}

}  // namespace

std::int64_t newest_schema() { return static_cast<std::int64_t>(schema_files().size()); }

bool has_newest_schema(Connection& connection) {
  const Header header = header_of(connection);
  refuse_foreign_or_newer(connection, header);
  if (header.empty)
    throw StoreError(StoreProblem::not_a_store,
                     connection.label() + ": an empty file, not a store");
  return header.schema == newest_schema();
}

void make_store(Connection& empty, std::int64_t schema) {
  for (std::int64_t i = 0; i < schema; ++i)
    empty.execute(std::string(schema_files()[static_cast<std::size_t>(i)].text));
  empty.execute("PRAGMA application_id = " + std::to_string(kApplicationId));
  empty.execute("PRAGMA user_version = " + std::to_string(schema));
}

void migrate(Connection& connection) {
  const Header before = header_of(connection);
  refuse_foreign_or_newer(connection, before);
  if (!before.empty && before.schema == newest_schema()) return;
  Transaction transaction(connection);
  // Another process may have been first while this one waited for the lock.
  const Header now = header_of(connection);
  refuse_foreign_or_newer(connection, now);
  if (!now.empty) require_schema(connection, now.schema);
  for (std::int64_t i = now.schema; i < newest_schema(); ++i)
    connection.execute(std::string(schema_files()[static_cast<std::size_t>(i)].text));
  add_missing_checksums(connection);
  connection.execute("PRAGMA application_id = " + std::to_string(kApplicationId));
  connection.execute("PRAGMA user_version = " + std::to_string(newest_schema()));
  transaction.commit();
}

}  // namespace conoscope::results
