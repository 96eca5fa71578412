// SPDX-License-Identifier: Apache-2.0
#include "results/store/store.h"

#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>

#include "results/store/checksum.h"
#include "results/store/file_system.h"
#include "results/store/merge.h"
#include "results/store/migrate.h"
#include "results/store/sql.h"
#include "results/store/sqlite.h"
#include "results/store/text_form.h"

namespace conoscope::results {

namespace {

constexpr std::chrono::seconds kForTheJournal{30};

std::unique_ptr<Connection> connect(const std::string& uri, const std::string& label, int flags) {
  auto connection = std::make_unique<Connection>(uri, label, flags | SQLITE_OPEN_NOMUTEX);
  // 64 MiB of cache hold a store of a million scores; temporary results belong into memory.
  connection->execute("PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY");
  return connection;
}

// Changing the journal needs the file for itself for a moment, and SQLite does not call the busy
// handler for it: try again, as the handler would.
void set_journal(Connection& connection, const std::string& wanted) {
  const auto deadline = std::chrono::steady_clock::now() + kForTheJournal;
  while (connection.text("PRAGMA journal_mode") != wanted) {
    try {
      if (connection.text("PRAGMA journal_mode = " + wanted) == wanted) return;
    } catch (const StoreError& error) {
      if (error.problem() != StoreProblem::busy) throw;
    }
    // A file that others keep open stays in the journal it has, which is as safe.
    if (std::chrono::steady_clock::now() > deadline) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// To open a pipe waits, and a device has no end.
void require_file(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    throw StoreError(StoreProblem::cannot_open, path.string() + ": not a file");
}

/// What lies in a folder.
struct TextForms {
  std::vector<std::filesystem::path> files, submissions;  ///< of the latter, the folders

  bool empty() const { return files.empty() && submissions.empty(); }
};

constexpr const char* kScores = "scores.gz";  // of a submission

/// Empty: there are none, or the folder cannot be read.
TextForms text_forms_in(const std::filesystem::path& folder) {
  TextForms out;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.is_regular_file() && is_text_form(entry.path()))
      out.files.push_back(entry.path());
    else if (entry.is_directory() && is_text_form(entry.path() / kScores))
      out.submissions.push_back(entry.path());
  std::ranges::sort(out.files);
  std::ranges::sort(out.submissions);
  return out;
}

[[noreturn]] void refuse_to_write(const std::filesystem::path& path, const std::string& what) {
  throw StoreError(StoreProblem::read_only,
                   path.string() + ": " + what +
                       " is only read; to go on with it, `conoscope merge " + path.string() +
                       " --store NEW.db`; `run` and `reproduce` take from it with --from");
}

std::unique_ptr<Connection> open_for_writing(const std::filesystem::path& path) {
  if (!text_forms_in(path).empty()) refuse_to_write(path, "a folder of stores in text form");
  require_file(path);
  const std::filesystem::path folder = folder_of(target_of(path));
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    throw StoreError(StoreProblem::cannot_open,
                     path.string() + ": there is no folder " + folder.string());
  if (!is_writable(folder))
    throw StoreError(StoreProblem::read_only,
                     path.string() + ": the folder " + folder.string() +
                         " is read-only, and SQLite keeps its journal beside the store");
  if (std::filesystem::exists(path, ignored) && !is_writable(path))
    throw StoreError(StoreProblem::read_only, path.string() + ": the file is read-only");
  if (is_text_form(path)) refuse_to_write(path, "the text form of a store");
  auto connection = connect(sqlite_uri(path, "mode=rwc"), path.string(),
                            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (connection->file_is_read_only())
    throw StoreError(StoreProblem::read_only, path.string() + ": the file is read-only");
  connection->execute("PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL");
  // First see whether it is ours: another program's database keeps its journal.
  migrate(*connection);
  set_journal(*connection, is_local_disk(folder) ? "wal" : "delete");
  return connection;
}

// An empty database in memory. Its name makes it one that merge() can attach.
std::unique_ptr<Connection> in_memory(const std::string& label) {
  static std::atomic<int> databases = 0;
  const std::string uri = "file:/conoscope-" + std::to_string(++databases) + "?vfs=memdb";
  auto database = connect(uri, label, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  sqlite3_int64 largest = std::numeric_limits<sqlite3_int64>::max();
  sqlite3_file_control(database->handle(), "main", SQLITE_FCNTL_SIZE_LIMIT, &largest);
  return database;
}

std::unique_ptr<Connection> migrated_copy(Connection& older) {
  auto copy = in_memory(older.label());
  older.kept("VACUUM INTO ?").run(copy->uri());
  migrate(*copy);
  return copy;
}

std::unique_ptr<Connection> from_text(const std::filesystem::path& path, Mode mode) {
  auto database = in_memory(path.string());
  read_text_form(path, *database);
  migrate(*database);
  if (mode != Mode::kCopy) database->execute("PRAGMA query_only = ON");
  return database;
}

// Reading changes no file: an older store is brought to the newest schema in a copy.
std::unique_ptr<Connection> readable(std::unique_ptr<Connection> connection, Mode mode) {
  if (has_newest_schema(*connection) && mode != Mode::kCopy) return connection;
  auto copy = migrated_copy(*connection);
  if (mode != Mode::kCopy) copy->execute("PRAGMA query_only = ON");
  return copy;
}

std::unique_ptr<Connection> open_for_reading(const std::filesystem::path& path, Mode mode) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    throw StoreError(StoreProblem::cannot_open, path.string() + ": no such file");
  require_file(path);
  if (is_text_form(path)) return from_text(path, mode);
  try {
    return readable(connect(sqlite_uri(path, "mode=ro"), path.string(), SQLITE_OPEN_READONLY),
                    mode);
  } catch (const StoreError& error) {
    // A WAL store in a folder where its index cannot be made, as on read-only media: when no log
    // lies beside it, the file alone is complete.
    const bool has_log = std::filesystem::exists(target_of(path).string() + "-wal", ignored);
    const bool cannot_index =
        error.problem() == StoreProblem::cannot_open || error.problem() == StoreProblem::read_only;
    if (has_log || !cannot_index || is_writable(folder_of(target_of(path)))) throw;
  }
  return readable(
      connect(sqlite_uri(path, "mode=ro&immutable=1"), path.string(), SQLITE_OPEN_READONLY), mode);
}

std::unique_ptr<Connection> open_in_memory() {
  auto connection = in_memory(":memory:");  // by a name, so that it can be merged
  connection->execute("PRAGMA foreign_keys = ON");
  migrate(*connection);
  return connection;
}

// A file that was deleted or moved is written to until it is closed, and then gone.
void require_in_place(Connection& connection) {
  int moved = 0;
  sqlite3_file_control(connection.handle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (moved != 0)
    throw StoreError(StoreProblem::cannot_open,
                     connection.label() + ": the file was deleted or moved while it was in use");
}

void require_finite(const std::string& metric, const std::optional<double>& value) {
  if (value && !std::isfinite(*value))
    throw std::invalid_argument("Store::record: the value of " + metric +
                                " is not finite; give its reason instead");
}

[[noreturn]] void conflict(const Connection& connection, const std::string& what) {
  throw StoreError(StoreProblem::conflict,
                   connection.label() + ": " + what + " is known with another content");
}

// Inserts unless the key is known, and says whether the row that is there now is the row given.
// kept text: INSERT ... ON CONFLICT DO NOTHING, never OR IGNORE, which would swallow broken rules
// too.
void add_component(Connection& connection, const ComponentRow& row) {
  connection
      .kept(
          "INSERT INTO component VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE "
          "SET name = excluded.name WHERE name <> excluded.name")
      .run(row.key, row.kind, row.plugin_id, row.plugin_version, row.params, row.content, row.name);
  Statement& same = connection.kept(
      "SELECT 1 FROM component WHERE key = ? AND kind = ? AND plugin_id = ? AND plugin_version = ? "
      "AND params = ? AND content = ?");
  same.bind_all(row.key, row.kind, row.plugin_id, row.plugin_version, row.params, row.content);
  const bool found = same.step();
  same.reset();
  if (!found) conflict(connection, "component " + row.key);
}

/// Grows with every attempt, also where the clock has stepped back.
std::int64_t next_number(Connection& connection, std::int64_t wanted) {
  Statement& next = connection.kept("SELECT coalesce(max(number), 0) + 1 FROM attempt");
  next.step();
  const std::int64_t number =
      std::max<std::int64_t>(wanted > 0 ? wanted : attempt_number(), next.integer(0));
  next.reset();
  return number;
}

std::optional<std::string> explainer_of(const CellRow& row) {
  return row.explainer.empty() ? std::nullopt : std::optional<std::string>(row.explainer);
}

void add_cell(Connection& connection, const CellRow& row) {
  connection.kept("INSERT INTO cell VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
      .run(row.key, row.dataset, row.model, explainer_of(row), row.seed, row.control);
  Statement& same = connection.kept(
      "SELECT 1 FROM cell WHERE key = ? AND dataset = ? AND model = ? AND explainer IS ? "
      "AND seed = ? AND control = ?");
  same.bind_all(row.key, row.dataset, row.model, explainer_of(row), row.seed, row.control);
  const bool found = same.step();
  same.reset();
  if (!found) conflict(connection, "cell " + row.key);
}

void add_metric_key(Connection& connection, const MetricKeyRow& row) {
  // Citation and question may be put better one day; what decides a ranking may not change.
  connection
      .kept(
          "INSERT INTO metric_key VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (metric) DO UPDATE "
          "SET grp = excluded.grp, low = excluded.low, high = excluded.high, unit = excluded.unit, "
          "citation = excluded.citation, question = excluded.question "
          "WHERE direction = excluded.direction")
      .run(row.metric, row.grp, row.direction, row.low, row.high, row.unit, row.citation,
           row.question);
  Statement& known = connection.kept("SELECT direction FROM metric_key WHERE metric = ?");
  known.bind_all(row.metric);
  known.step();
  const std::string direction = known.text(0);
  known.reset();
  if (direction != row.direction)
    throw StoreError(StoreProblem::conflict,
                     connection.label() + ": metric " + row.metric + " has the direction " +
                         direction + " here, and now " + row.direction +
                         ": the scores that are here would be ranked in another way; give it "
                         "another name, or use another --store");
}

// Text for a message: what there is, a few of them.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kShown; ++i)
    text.append(i ? ", " : "").append(names[i]);
  if (names.size() > kShown) text += ", ... (" + std::to_string(names.size()) + ")";
  return names.empty() ? "none" : text;
}

}  // namespace

struct Store::Parts {
  std::filesystem::path path;
  std::unique_ptr<Connection> connection;
  Origins origins = {};
};

Store::Store(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Store Store::open(const std::filesystem::path& path, Mode mode) {
  auto parts = std::make_unique<Parts>();
  parts->path = path;
  std::error_code ignored;
  if (mode != Mode::kReadWrite && std::filesystem::is_directory(path, ignored)) {
    const auto found = text_forms_in(path);
    if (found.empty())
      throw StoreError(StoreProblem::cannot_open,
                       path.string() + ": a folder without a store in text form");
    parts->connection = in_memory(path.string());
    make_store(*parts->connection, newest_schema());
    Store all(std::move(parts));
    for (const auto& file : found.files) merge(all, file);
    const CheckedSubmissions checked(path / "checked.tsv");
    for (const auto& folder : found.submissions) {
      const auto file = folder / kScores;
      Store one = open(file, Mode::kReadOnly);
      checked.add_origins(folder.filename().string(), file, one, all.parts_->origins);
      merge(all, one);
    }
    if (mode != Mode::kCopy) all.connection().execute("PRAGMA query_only = ON");
    return all;
  }
  if (path == ":memory:")
    parts->connection = open_in_memory();
  else if (mode == Mode::kReadWrite)
    parts->connection = open_for_writing(path);
  else
    parts->connection = open_for_reading(path, mode);
  return Store(std::move(parts));
}

const std::filesystem::path& Store::path() const { return parts_->path; }

const Origins& Store::origins() const { return parts_->origins; }

Connection& Store::connection() { return *parts_->connection; }

void Store::register_run(const RunRow& run, std::span<const ComponentRow> components,
                         std::span<const CellRow> cells, std::span<const MetricKeyRow> metrics) {
  Connection& c = connection();
  Transaction transaction(c);
  c.kept("INSERT INTO run VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING")
      .run(run.key, run.name, run.file_text, run.created_at);
  for (const ComponentRow& row : components) add_component(c, row);
  std::int64_t position = 0;
  for (const MetricKeyRow& row : metrics) {
    add_metric_key(c, row);
    c.kept(
         "INSERT INTO run_metric VALUES (?, ?, ?) ON CONFLICT (run, metric) DO UPDATE "
         "SET position = excluded.position WHERE position <> excluded.position")
        .run(run.key, row.metric, ++position);
  }
  for (const ComponentRow& row : components)
    c.kept(
         "INSERT INTO run_component VALUES (?, ?, ?) ON CONFLICT (run, component) DO UPDATE "
         "SET name = excluded.name WHERE name <> excluded.name")
        .run(run.key, row.key, row.name);
  // In the order of their keys, which is that of the table's pages.
  std::vector<const CellRow*> sorted;
  for (const CellRow& row : cells) sorted.push_back(&row);
  std::ranges::sort(sorted, {}, &CellRow::key);
  for (const CellRow* row : sorted) {
    add_cell(c, *row);
    c.kept("INSERT INTO run_cell VALUES (?, ?) ON CONFLICT DO NOTHING").run(run.key, row->key);
  }
  // Boards take a run's components from here alone: those that it did not name keep their names.
  c.kept(
       "INSERT INTO run_component SELECT DISTINCT run_cell.run, component.key, component.name "
       "FROM run_cell JOIN cell ON cell.key = run_cell.cell "
       "JOIN component ON component.key IN (cell.dataset, cell.model, cell.explainer) "
       "WHERE run_cell.run = ? ON CONFLICT DO NOTHING")
      .run(run.key);
  transaction.commit();
}

void Store::add_plugins(std::span<const PluginRow> plugins) {
  Connection& c = connection();
  Transaction transaction(c);
  for (const PluginRow& row : plugins)
    c.kept("INSERT INTO plugin VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
        .run(row.kind, row.id, row.version, row.sha256, row.file, row.licence, row.citation);
  transaction.commit();
}

void Store::add_environment(const EnvironmentRow& environment) {
  connection()
      .kept("INSERT INTO environment VALUES (?, ?) ON CONFLICT DO NOTHING")
      .run(environment.key, environment.text);
}

void Store::add_event(const EventRow& event) {
  connection()
      .kept("INSERT INTO event VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING")
      .run(event.at, event.id, event.kind, event.text);
}

bool Store::record(const AttemptRow& attempt, std::span<const ScoreRow> scores,
                   std::span<const SampleScoreRow> sample_scores,
                   std::span<const std::string> peers) {
  const auto reason_of = [](const auto& row) {
    return row.reason.empty() ? std::nullopt : std::optional<std::string>(row.reason);
  };
  for (const ScoreRow& row : scores) require_finite(row.metric, row.value);
  for (const SampleScoreRow& row : sample_scores) require_finite(row.metric, row.value);
  Connection& c = connection();
  require_in_place(c);
  Transaction transaction(c);
  try {
    c.kept(
         "INSERT INTO attempt VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
         "ON CONFLICT (id) DO NOTHING")
        .run(attempt.id, attempt.cell, attempt.run, attempt.environment, to_text(attempt.status),
             attempt.stage, attempt.signal, attempt.exit_code, attempt.message, attempt.log_tail,
             attempt.started_at, attempt.seconds, attempt.peak_memory, attempt.binaries,
             next_number(c, attempt.number));
    if (c.changes() == 0) {
      Statement& same = c.kept(
          "SELECT 1 FROM attempt WHERE id = ? AND cell = ? AND run = ? AND status = ? "
          "AND started_at = ?");
      same.bind_all(attempt.id, attempt.cell, attempt.run, to_text(attempt.status),
                    attempt.started_at);
      const bool found = same.step();
      same.reset();
      if (!found) conflict(c, "attempt " + attempt.id);
      return false;
    }
    for (const ScoreRow& row : scores)
      c.kept("INSERT INTO score VALUES (?, ?, ?, ?, ?)")
          .run(attempt.id, row.metric, row.value, reason_of(row), row.message);
    for (const SampleScoreRow& row : sample_scores)
      c.kept("INSERT INTO sample_score VALUES (?, ?, ?, ?, ?)")
          .run(attempt.id, row.metric, row.part, row.value, reason_of(row));
    for (const std::string& peer : peers)
      c.kept("INSERT INTO attempt_peer VALUES (?, ?)").run(attempt.id, peer);
    add_checksum(c, attempt.id);
    transaction.commit();
  } catch (const StoreError& error) {
    if (error.problem() != StoreProblem::constraint) throw;
    throw StoreError(StoreProblem::constraint, std::string(error.what()) + " (attempt " +
                                                   attempt.id + " at cell " + attempt.cell + ")");
  }
  return true;
}

void Store::retract(std::string_view attempt, std::string_view reason, std::string_view at) {
  Connection& c = connection();
  Transaction transaction(c);
  Statement& known = c.kept("SELECT 1 FROM attempt WHERE id = ?");
  const bool found = known.bind_all(attempt).step();
  known.reset();
  if (!found)
    throw StoreError(StoreProblem::not_found,
                     c.label() + ": there is no attempt " + std::string(attempt));
  c.kept("INSERT INTO retraction VALUES (?, ?, ?) ON CONFLICT DO NOTHING").run(attempt, reason, at);
  transaction.commit();
}

std::set<std::string> Store::tried_cells() {
  Statement query(connection(), "SELECT DISTINCT cell FROM attempt");
  std::set<std::string> cells;
  while (query.step()) cells.insert(cells.end(), query.text(0));  // in their order
  return cells;
}

KnownCell Store::known(std::string_view cell) {
  Connection& c = connection();
  KnownCell out;
  Statement& good = c.kept(
      "SELECT valid_attempt.status, attempt.binaries FROM valid_attempt JOIN attempt USING (id) "
      "WHERE valid_attempt.cell = ? AND valid_attempt.status IN ('ok', 'not_applicable') "
      "ORDER BY valid_attempt.number DESC, id DESC LIMIT 1");
  if (good.bind_all(cell).step()) {
    out.good = parse_status(good.text(0));
    out.binaries = good.text(1);
  }
  good.reset();
  Statement& scores = c.kept(
      "SELECT score.metric, attempt.binaries FROM attempt "
      "CROSS JOIN score ON score.attempt = attempt.id "  // in this order: each has an index for it
      "CROSS JOIN current_score AS current ON current.metric = score.metric "
      "AND current.cell = attempt.cell AND current.attempt = attempt.id WHERE attempt.cell = ?");
  scores.bind_all(cell);
  while (scores.step()) out.scores[scores.text(0)] = scores.text(1);
  scores.reset();
  return out;
}

std::map<std::string, ScoreOverSeeds> Store::scores_over_seeds(std::string_view metric) {
  Statement query(connection(),
                  "SELECT current.cell, peer.cell, EXISTS (SELECT 1 FROM valid_attempt AS good "
                  "WHERE good.cell = peer.cell AND good.status = 'ok' "
                  "AND good.id NOT IN (SELECT attempt FROM attempt_peer)), attempt.binaries "
                  "FROM current_score AS current "
                  "JOIN attempt ON attempt.id = current.attempt "
                  "JOIN attempt_peer AS peer ON peer.attempt = current.attempt "
                  "WHERE current.metric = ?1");
  query.bind(1, metric);
  std::map<std::string, ScoreOverSeeds> scores;
  std::set<std::string> outdated;
  while (query.step()) {
    ScoreOverSeeds& score = scores[query.text(0)];
    score.peers.insert(query.text(1));
    score.binaries = query.text(3);
    if (query.integer(2) == 0) outdated.insert(query.text(0));
  }
  for (const std::string& cell : outdated) scores.erase(cell);
  return scores;
}

std::vector<std::string> Store::run_metrics(std::string_view run) {
  Statement query(connection(),
                  "SELECT metric FROM run_metric WHERE run = :run ORDER BY position, metric");
  query.bind_filter("run", run);
  std::vector<std::string> metrics;
  while (query.step()) metrics.push_back(query.text(0));
  return metrics;
}

std::map<std::string, double> Store::median_seconds() {
  Statement query(connection(), query_text("durations"));
  std::map<std::string, double> seconds;
  while (query.step()) seconds[query.text(0)] = query.real(1);
  return seconds;
}

std::map<std::array<std::string, 3>, std::int64_t> Store::peak_memory() {
  Statement query(connection(), query_text("peaks"));
  std::map<std::array<std::string, 3>, std::int64_t> bytes;
  while (query.step()) bytes[{query.text(0), query.text(1), query.text(2)}] = query.integer(3);
  return bytes;
}

std::vector<RunRow> Store::runs() {
  Statement query(connection(),
                  "SELECT key, name, file_text, created_at FROM run "
                  "WHERE EXISTS (SELECT 1 FROM run_cell WHERE run_cell.run = run.key) "
                  "OR NOT EXISTS (SELECT 1 FROM attempt WHERE attempt.run = run.key) "
                  "ORDER BY created_at, key");
  std::vector<RunRow> rows;
  while (query.step()) rows.push_back({query.text(0), query.text(1), query.text(2), query.text(3)});
  return rows;
}

RunRow Store::run(std::string_view key) {
  Statement query(connection(), "SELECT key, name, file_text, created_at FROM run WHERE key = ?");
  if (!query.bind_all(key).step())
    throw StoreError(StoreProblem::not_found,
                     connection().label() + ": there is no run " + std::string(key));
  return {query.text(0), query.text(1), query.text(2), query.text(3)};
}

std::string Store::find_run(std::string_view text) {
  std::vector<std::string> names, by_prefix;
  std::string by_name;
  for (const RunRow& run : runs()) {
    if (run.key == text) return run.key;
    if (run.name == text) by_name = run.key;
    if (!text.empty() && std::string_view(run.key).substr(0, text.size()) == text)
      by_prefix.push_back(run.key);
    names.push_back(run.name + " (" + run.key.substr(0, 12) + ")");
  }
  if (!by_name.empty()) return by_name;
  if (by_prefix.size() == 1) return by_prefix.front();
  throw StoreError(StoreProblem::not_found,
                   connection().label() + ": " + (by_prefix.empty() ? "no run" : "several runs") +
                       " \"" + std::string(text) + "\"; there are " + listed(names));
}

std::string Store::find_cell(std::string_view prefix) {
  Statement query(
      connection(),
      "SELECT key FROM cell WHERE key = ?1 OR (?1 <> '' AND substr(key, 1, length(?1)) = "
      "?1) ORDER BY key <> ?1, key");
  query.bind(1, prefix);
  std::vector<std::string> keys;
  while (query.step()) keys.push_back(query.text(0));
  if (keys.size() == 1 || (!keys.empty() && keys.front() == prefix)) return keys.front();
  throw StoreError(StoreProblem::not_found,
                   connection().label() + ": " +
                       (keys.empty() ? "no cell begins with \"" + std::string(prefix) +
                                           "\"; `conoscope export` has their keys"
                                     : "several cells begin with \"" + std::string(prefix) +
                                           "\": " + listed(keys)));
}

}  // namespace conoscope::results
