// SPDX-License-Identifier: Apache-2.0
#include "results/store/merge.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "results/store/checksum.h"
#include "results/store/file_system.h"
#include "results/store/rows_of_attempts.h"
#include "results/store/sqlite.h"
#include "results/store/tables.h"

namespace conoscope::results {

namespace {

// What a key stands for may not differ between stores. Names of components and citations may, and the
// text of a run file, which may be edited without asking for anything else.
struct Identity {
  std::string_view name, table;
  std::string_view columns;  // key first; several rows may belong to one
};
constexpr std::array<Identity, 8> kIdentities = {{
    {"component", "component", "key, kind, plugin_id, plugin_version, params, content"},
    {"metric", "metric_key", "metric, direction"},
    {"cell", "cell", "key, dataset, model, explainer, seed, control"},
    {"environment", "environment", "key, text"},
    {"run", "run", "key, name"},
    {"run", "run_cell", "run, cell"},
    {"run", "run_metric", "run, metric"},
    {"attempt", "attempt_checksum", "attempt, sha256"},  // scores, their parts and peers too
}};

void require_same_content(Connection& connection, const Identity& identity,
                          const std::string& from) {
  const std::string table(identity.table), columns(identity.columns);
  const std::string key = columns.substr(0, columns.find(','));
  const auto rows = [&](const std::string& store) {
    return "SELECT " + columns + " FROM " + store + "." + table + " WHERE " + key + " IN (SELECT " +
           key + " FROM other." + table + " AS theirs WHERE EXISTS (SELECT 1 FROM main." + table +
           " AS ours WHERE ours." + key + " = theirs." + key + "))";
  };
  for (const auto& [one, another] : {std::pair("main", "other"), std::pair("other", "main")}) {
    Statement query(connection, rows(one) + " EXCEPT " + rows(another) + " LIMIT 1");
    if (query.step())
      throw StoreError(StoreProblem::conflict, from + ": " + std::string(identity.name) + " " +
                                                   query.text(0) + " has another content than in " +
                                                   connection.label());
  }
}

class Attached {
 public:
  Attached(Connection& connection, std::string uri) : connection_(connection) {
    // SQLite would seek the file where the other database is: of a copy, in memory.
    if (uri.find("vfs=") == uri.npos)
      uri += std::string("&vfs=") + sqlite3_vfs_find(nullptr)->zName;
    connection_.kept("ATTACH ? AS other").run(uri);
  }
  ~Attached() {
    try {
      connection_.kept("DETACH other").run();
    } catch (const StoreError&) {
      // Only after a failure that is already on its way to the caller.
    }
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

 private:
  Connection& connection_;
};

constexpr std::string_view kNamedCells =
    "WITH named_cell (key) AS (SELECT cell FROM other.attempt WHERE id IN chosen_attempt "
    "UNION SELECT cell FROM other.attempt_peer WHERE attempt IN chosen_attempt) ";

void add_rows(Connection& connection, std::string_view table, std::string_view with,
              std::string_view where, std::map<std::string, std::int64_t>& added) {
  const std::string name(table);
  // Not OR IGNORE: that would also swallow rows which break a rule.
  Statement(connection, std::string(with) + "INSERT INTO main." + name + " SELECT * FROM other." +
                            name + " AS theirs WHERE " + std::string(where) +
                            " ON CONFLICT DO NOTHING")
      .run();
  added[name] = connection.changes();
}

/// Checks the other store against this one, then has rows added, in one transaction.
std::map<std::string, std::int64_t> merge_tables(
    Store& into, Store& other,
    const std::function<std::map<std::string, std::int64_t>(Connection&)>& add) {
  std::error_code ignored;
  if (std::filesystem::equivalent(into.path(), other.path(), ignored))
    throw std::invalid_argument("merge: " + other.path().string() + " into itself");
  verify(other);

  Connection& connection = into.connection();
  const Attached attached(connection, other.connection().uri());
  Transaction transaction(connection);
  for (const Identity& identity : kIdentities)
    require_same_content(connection, identity, other.connection().label());
  auto added = add(connection);
  transaction.commit();
  return added;
}

}  // namespace

std::map<std::string, std::int64_t> merge(Store& into, Store& other) {
  return merge_tables(into, other, [](Connection& connection) {
    std::map<std::string, std::int64_t> added;
    for (const std::string_view table : kTables) add_rows(connection, table, "", "true", added);
    // Shards of one run start at their own times; the run began with the first.
    Statement(
        connection,
        "UPDATE main.run SET created_at = (SELECT min(main.run.created_at, theirs.created_at) "
        "FROM other.run AS theirs WHERE theirs.key = main.run.key) "
        "WHERE EXISTS (SELECT 1 FROM other.run AS theirs WHERE theirs.key = main.run.key AND "
        "theirs.created_at < main.run.created_at)")
        .run();
    return added;
  });
}

std::map<std::string, std::int64_t> merge_attempts(Store& into, Store& other,
                                                   std::span<const std::string> attempts) {
  return merge_tables(into, other, [attempts](Connection& connection) {
    connection.execute(
        "CREATE TEMP TABLE IF NOT EXISTS chosen_attempt (id TEXT NOT NULL PRIMARY KEY); "
        "DELETE FROM temp.chosen_attempt");
    Statement& choose = connection.kept("INSERT OR IGNORE INTO temp.chosen_attempt VALUES (?)");
    for (const std::string& attempt : attempts) choose.run(attempt);
    std::map<std::string, std::int64_t> added;
    for (const std::string_view table : kTables)
      if (const auto rows = rows_of_attempts(table, "other."))
        add_rows(connection, table, kNamedCells, *rows, added);
    return added;
  });
}

std::map<std::string, std::int64_t> merge(Store& into, const std::filesystem::path& from) {
  // Opened on its own: this refuses what is not a store of the schema we understand, and keeps the
  // log of a WAL store in place while it is read.
  Store other = Store::open(from, Mode::kReadOnly);
  return merge(into, other);
}

}  // namespace conoscope::results
