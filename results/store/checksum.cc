// SPDX-License-Identifier: Apache-2.0
#include "results/store/checksum.h"

#include <sqlite3.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "numerics/sha256.h"
#include "results/store/error.h"
#include "results/store/migrate.h"
#include "results/store/sql.h"
#include "results/store/sqlite.h"

namespace conoscope::results {

namespace {

/// Every value with its type: 1, 1.0, "1" and NULL differ.
std::string exact_text(const SqlValue& value) {
  struct Writer {
    std::string operator()(std::monostate) const { return "n"; }
    std::string operator()(std::int64_t number) const { return "i" + std::to_string(number); }
    std::string operator()(double number) const {
      return "r" + std::to_string(std::bit_cast<std::uint64_t>(number));
    }
    std::string operator()(const std::string& text) const { return "t" + text; }
  };
  return std::visit(Writer(), value);
}

// By the keys of their tables, so that SQLite need not sort. Columns by name: a later schema may have
// more of them.
constexpr std::string_view kParts[] = {
    "SELECT attempt.id, run, environment, status, stage, signal, exit_code, message, log_tail, "
    "started_at, seconds, peak_memory, binaries, cell.key, dataset, model, explainer, seed, "
    "control FROM attempt JOIN cell ON cell.key = attempt.cell WHERE attempt.id = ?",
    "SELECT component.key, kind, plugin_id, plugin_version, params, content "
    "FROM attempt JOIN cell ON cell.key = attempt.cell "
    "JOIN component ON component.key IN (dataset, model, explainer) WHERE attempt.id = ? "
    "ORDER BY component.key",
    "SELECT metric, value, reason, message, direction FROM score JOIN metric_key USING (metric) "
    "WHERE attempt = ? ORDER BY metric",
    "SELECT metric, part, value, reason FROM sample_score WHERE attempt = ? ORDER BY metric, part"};

std::string checksum_of(Connection& connection, std::string_view attempt) {
  numerics::Sha256 hash;
  for (const std::string_view sql : kParts) {
    Statement& rows = connection.kept(sql);
    rows.bind_all(attempt);
    std::int64_t count = 0;
    for (; rows.step(); ++count)
      for (int i = 0; i < rows.columns(); ++i) hash.field(exact_text(rows.value(i)));
    rows.reset();
    hash.field(std::to_string(count));
  }
  // Nothing where there is none: what was written before schema 5 keeps its checksum.
  Statement& peers =
      connection.kept("SELECT cell FROM attempt_peer WHERE attempt = ? ORDER BY cell");
  peers.bind_all(attempt);
  while (peers.step()) hash.field(exact_text(peers.value(0)));
  peers.reset();
  // An attempt from before schema 6, whose number is its time, keeps its checksum, too.
  Statement& number = connection.kept(
      "SELECT number FROM attempt WHERE id = ? AND number <> coalesce("
      "strftime('%s', substr(started_at, 1, 19)) * 1000 + "
      "CAST(substr(started_at, 21, 3) AS INTEGER), 0)");
  if (number.bind_all(attempt).step()) hash.field(exact_text(number.value(0)));
  number.reset();
  return hash.hex();
}

[[noreturn]] void corrupt(const Connection& connection, const std::string& what) {
  throw StoreError(StoreProblem::corrupt,
                   connection.label() + ": damaged: " + what +
                       "; restore the file from a copy, or merge what is sound from other stores");
}

/// All names and texts of the schema.
std::vector<std::string> schema_of(Connection& connection) {
  Statement rows(connection,
                 "SELECT type, name, tbl_name, ifnull(sql, '') FROM sqlite_schema "
                 "WHERE name NOT LIKE 'sqlite_stat%' ORDER BY type, name");
  std::vector<std::string> out;
  while (rows.step())
    out.push_back(rows.text(0) + " " + rows.text(1) + " " + rows.text(2) + " " + rows.text(3));
  return out;
}

void verify_pages(Connection& connection) {
  const std::string pages = connection.text("PRAGMA integrity_check(1)");
  if (pages != "ok") corrupt(connection, pages);
  Statement references(connection, "PRAGMA foreign_key_check");
  if (references.step())
    corrupt(connection,
            "a row of " + references.text(0) + " refers to none of " + references.text(2));
}

void verify_attempts(Connection& connection) {
  Statement attempts(connection,
                     "SELECT id, cell, sha256 FROM attempt "
                     "LEFT JOIN attempt_checksum ON attempt_checksum.attempt = attempt.id");
  while (attempts.step()) {
    const std::string id = attempts.text(0);
    const std::string what = "attempt " + id + " at cell " + attempts.text(1);
    if (attempts.is_null(2)) corrupt(connection, what + " has no checksum");
    if (checksum_of(connection, id) != attempts.text(2))
      corrupt(connection, what + " is not what was recorded (its checksum differs)");
  }
}

void verify_environments(Connection& connection) {
  Statement rows(connection, "SELECT key, text FROM environment");
  while (rows.step())
    if (environment_row(rows.text(1)).key != rows.text(0))
      corrupt(connection, "environment " + rows.text(0) +
                              " is not what was recorded (its key is that of another text)");
}

/// The table that boards read instead of all attempts. Cell by cell: there may be more scores than fit
/// into memory.
void verify_current_scores(Connection& connection) {
  const auto corrupt_score = [&](const std::string& metric, const std::string& cell) {
    corrupt(connection, "the score of " + metric + " that counts for cell " + cell +
                            " is not that of its attempts");
  };
  Statement derived(
      connection,
      "SELECT count(*), min(CASE WHEN kept.attempt IS NOT derived.attempt "
      "OR kept.value IS NOT derived.value OR kept.reason IS NOT derived.reason "
      "THEN derived.metric END) FROM ("
      "SELECT score.metric, its.id AS attempt, value, reason, row_number() OVER "
      "(PARTITION BY score.metric ORDER BY its.number DESC, its.id DESC) AS place "
      "FROM valid_attempt AS its JOIN score ON score.attempt = its.id "
      "WHERE its.cell = ?1 AND score.reason IS NOT 'error') AS derived "
      "LEFT JOIN current_score AS kept ON kept.metric = derived.metric AND kept.cell = ?1 "
      "WHERE place = 1");
  std::int64_t count = 0;
  Statement cells(connection, "SELECT key FROM cell");
  while (cells.step()) {
    const std::string cell = cells.text(0);
    derived.bind_all(cell).step();
    count += derived.integer(0);
    if (!derived.is_null(1)) corrupt_score(derived.text(1), cell);
  }
  if (connection.integer("SELECT count(*) FROM current_score") == count) return;
  Statement extra(connection,
                  "SELECT metric, cell FROM current_score AS kept WHERE NOT EXISTS ("
                  "SELECT 1 FROM valid_attempt AS its JOIN score ON score.attempt = its.id "
                  "WHERE its.cell = kept.cell AND score.metric = kept.metric "
                  "AND score.reason IS NOT 'error') LIMIT 1");
  if (extra.step()) corrupt_score(extra.text(0), extra.text(1));
}

}  // namespace

void require_schema(Connection& connection, std::int64_t schema) {
  Connection fresh(":memory:", ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  for (std::int64_t i = 0; i < schema; ++i)
    fresh.execute(std::string(schema_files()[static_cast<std::size_t>(i)].text));
  std::vector<std::string> found = schema_of(connection), expected = schema_of(fresh), other;
  std::ranges::sort(found);
  std::ranges::sort(expected);
  std::ranges::set_symmetric_difference(found, expected, std::back_inserter(other));
  if (other.empty()) return;
  const std::size_t name = other[0].find(' ') + 1;  // after its type
  corrupt(connection, "its " + other[0].substr(0, other[0].find(' ', name)) + " is not as schema " +
                          std::to_string(schema) + " has it");
}

void add_checksum(Connection& connection, std::string_view attempt) {
  const std::string hash = checksum_of(connection, attempt);
  connection.kept("INSERT INTO attempt_checksum VALUES (?, ?)").run(attempt, hash);
}

void add_missing_checksums(Connection& connection) {
  std::vector<std::string> attempts;
  Statement missing(
      connection, "SELECT id FROM attempt WHERE id NOT IN (SELECT attempt FROM attempt_checksum)");
  while (missing.step()) attempts.push_back(missing.text(0));
  for (const std::string& attempt : attempts) add_checksum(connection, attempt);
}

void verify(Store& store) {
  Connection& connection = store.connection();
  verify_pages(connection);
  require_schema(connection, newest_schema());
  verify_environments(connection);
  verify_attempts(connection);
  verify_current_scores(connection);
}

}  // namespace conoscope::results
