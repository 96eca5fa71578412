#include "results/store/merge.h"

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "results/store/checksum.h"
#include "results/store/file_system.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

namespace {

// Parents before children, for the foreign keys; attempts before scores and scores before
// retractions, for the triggers that keep current_score, which is derived and therefore not copied.
constexpr std::array<std::string_view, 16> kTables = {
    "plugin",       "component",        "metric_key",    "environment", "run",   "cell",
    "run_cell",     "run_metric",       "run_component", "attempt",     "score", "sample_score",
    "attempt_peer", "attempt_checksum", "retraction",    "event"};

// What a key stands for may not differ between stores. Names and citations may.
struct Identity {
  std::string_view table, key, content;
};
constexpr std::array<Identity, 6> kIdentities = {{
    {"component", "key", "kind, plugin_id, plugin_version, params, content"},
    {"metric_key", "metric", "direction"},
    {"cell", "key", "dataset, model, explainer, seed, control"},
    {"attempt", "id", "cell, run, environment, status, stage, started_at"},
    {"score", "attempt, metric", "value, reason, message"},
    {"sample_score", "attempt, metric, part", "value, reason"},
}};

// "a, b" -> "ours.a <op> theirs.a <glue> ours.b <op> theirs.b"
std::string paired(std::string_view names, std::string_view op, std::string_view glue) {
  std::string text;
  while (!names.empty()) {
    const std::size_t comma = names.find(", ");
    const std::string name(names.substr(0, comma));
    if (!text.empty()) text += glue;
    text += "ours." + name + std::string(op) + "theirs." + name;
    names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 2);
  }
  return text;
}

void require_same_content(Connection& connection, const Identity& identity,
                          const std::filesystem::path& from) {
  const std::string table(identity.table);
  const std::string first_key(identity.key.substr(0, identity.key.find(',')));
  Statement query(connection, "SELECT theirs." + first_key + " FROM other." + table +
                                  " AS theirs JOIN main." + table + " AS ours ON " +
                                  paired(identity.key, " = ", " AND ") + " WHERE " +
                                  paired(identity.content, " IS NOT ", " OR ") + " LIMIT 1");
  if (query.step())
    throw StoreError(StoreProblem::conflict, from.string() + ": " + table + " " + query.text(0) +
                                                 " has another content than in " +
                                                 connection.label());
}

class Attached {
 public:
  Attached(Connection& connection, const std::string& uri) : connection_(connection) {
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

}  // namespace

std::map<std::string, std::int64_t> merge(Store& into, const std::filesystem::path& from) {
  std::error_code ignored;
  if (std::filesystem::equivalent(into.path(), from, ignored))
    throw std::invalid_argument("merge: " + from.string() + " into itself");
  // Opened on its own first: this refuses what is not a store of the schema we understand, and
  // keeps the log of a WAL store in place while it is read.
  Store other = Store::open(from, Mode::read_only);
  verify(other);

  Connection& connection = into.connection();
  const Attached attached(connection, other.connection().uri());
  Transaction transaction(connection);
  for (const Identity& identity : kIdentities) require_same_content(connection, identity, from);

  std::map<std::string, std::int64_t> added;
  for (const std::string_view table : kTables) {
    const std::string name(table);
    // Not OR IGNORE: that would also swallow rows which break a rule.
    Statement(connection, "INSERT INTO main." + name + " SELECT * FROM other." + name +
                              " WHERE true ON CONFLICT DO NOTHING")
        .run();
    added[name] = connection.changes();
  }
  // Shards of one run start at their own times; the run began with the first.
  Statement(connection,
            "UPDATE main.run SET created_at = (SELECT min(main.run.created_at, theirs.created_at) "
            "FROM other.run AS theirs WHERE theirs.key = main.run.key) "
            "WHERE EXISTS (SELECT 1 FROM other.run AS theirs WHERE theirs.key = main.run.key AND "
            "theirs.created_at < main.run.created_at)")
      .run();
  transaction.commit();
  return added;
}

}  // namespace conoscope::results
