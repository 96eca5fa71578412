// SPDX-License-Identifier: Apache-2.0
#include "results/store/checksum.h"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "results/formats/format.h"
#include "results/store/export.h"
#include "results/store/merge.h"
#include "results/store/sql.h"
#include "results/store/sqlite.h"
#include "tests/results/sample.h"
#include "tests/support/bytes_of.h"
#include "tests/support/sanitized.h"

using namespace conoscope::results;
using conoscope::testing::bytes_of;
using sample::attempt;
using sample::key_of;
using sample::problem_of;

namespace {

std::string exported(Store& store) { return to_text(export_table(store), Format::csv); }

/// Twelve cells, some of them scored twice, one retracted, one failed, with parts and messages.
void fill(const std::filesystem::path& path) {
  Store store = Store::open(path, Mode::kReadWrite);
  sample::ask(store, {.explainers = {"e", "f"}, .seeds = 6});
  int id = 0;
  for (const char* explainer : {"e", "f"})
    for (int seed = 1; seed <= 6; ++seed) {
      const std::string cell = key_of("d", "m", explainer, seed);
      ++id;
      if (id == 5) {
        store.record(attempt("failed", cell, 1, Status::crashed), {});
        continue;
      }
      store.record(attempt("a" + std::to_string(id), cell, 1),
                   std::vector{score_row("a", 0.1 * id, id % 3 == 0 ? "a message" : ""),
                               id % 4 == 0 ? ScoreRow{"b", std::nullopt, "undefined", "no variance"}
                                           : score_row("b", 1.0 / id)},
                   std::vector{sample_score_row("a", 0, id), sample_score_row("a", 1, 0.5)});
      if (id % 3 != 0) continue;
      store.record(attempt("b" + std::to_string(id), cell, 2), std::vector{score_row("a", id)});
      if (id == 6) store.retract("b6", "wrong labels", sample::at(9));
    }
  store.record(attempt("over_seeds", key_of("d", "m", "f", 1), 3), std::vector{score_row("b", 0.5)},
               {}, std::vector{key_of("d", "m", "f", 2), key_of("d", "m", "f", 3)});
}

/// Changes rows behind the store's back, past its triggers, which are there again afterwards.
void alter(const std::filesystem::path& path, const std::string& sql) {
  Store store = Store::open(path, Mode::kReadWrite);
  Connection& connection = store.connection();
  connection.execute("PRAGMA foreign_keys = OFF; PRAGMA journal_mode = delete");
  std::vector<std::string> triggers;
  Statement rows(connection,
                 "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name LIKE "
                 "'%is_not_%'");
  std::string drops;
  while (rows.step()) {
    drops += "DROP TRIGGER " + rows.text(0) + ";";
    triggers.push_back(rows.text(1));
  }
  rows.reset();
  connection.execute(drops + sql);
  for (const std::string& trigger : triggers) connection.execute(trigger);
}

}  // namespace

TEST_CASE("checksum: a store is what was written, and a change of anything that counts is named") {
  const sample::Scratch folder;
  const auto path = folder / "s.db";
  fill(path);
  {
    Store store = Store::open(path, Mode::kReadOnly);
    CHECK(problem_of([&] { verify(store); }) == "none");
  }
  alter(path, "SELECT 1");  // the triggers are what they were
  const std::string good = bytes_of(path);
  const auto refused = [&](const std::string& sql, const std::string& says) {
    CAPTURE(sql);
    alter(path, sql);
    std::string message;
    Store store = Store::open(path, Mode::kReadOnly);
    CHECK(problem_of([&] { verify(store); }, &message) == "corrupt");
    CHECK_MESSAGE(message.find(says) != message.npos, message);
    CHECK(problem_of([&] { exported(store); }) == "corrupt");
    Store other = Store::open(folder / "other.db", Mode::kReadWrite);
    CHECK(problem_of([&] { merge(other, path); }) == "corrupt");
    CHECK(other.connection().integer("SELECT count(*) FROM attempt") == 0);
    std::ofstream(path, std::ios::binary) << good;
  };
  refused("UPDATE score SET value = 0.25 WHERE attempt = 'a1' AND metric = 'a'", "attempt a1 at");
  refused("UPDATE score SET message = 'other' WHERE attempt = 'a1' AND metric = 'a'", "attempt a1");
  refused("UPDATE score SET reason = 'nan' WHERE attempt = 'a4' AND metric = 'b'", "attempt a4");
  refused("UPDATE sample_score SET value = 7 WHERE attempt = 'a2' AND part = 0", "attempt a2");
  refused("UPDATE attempt SET status = 'timeout' WHERE id = 'failed'", "attempt failed");
  refused("UPDATE attempt SET started_at = '2027-01-01T00:00:00.000Z' WHERE id = 'a3'",
          "attempt a3");
  refused("UPDATE environment SET text = 'a machinf'", "environment " + sample::kHere.key);
  refused("UPDATE cell SET seed = 9 WHERE seed = 2", "checksum");
  refused("UPDATE component SET params = 'x' WHERE key = 'e'", "checksum");
  refused("UPDATE metric_key SET direction = 'lower' WHERE metric = 'a'", "checksum");
  refused("DELETE FROM attempt_checksum WHERE attempt = 'a1'",
          "attempt a1 at cell d/m/e/1/none has no");
  refused("DELETE FROM sample_score WHERE attempt = 'a1'", "attempt a1");
  refused("DELETE FROM attempt_peer WHERE cell = 'd/m/f/2/none'", "attempt over_seeds");
  refused("INSERT INTO attempt_peer VALUES ('a1', 'd/m/f/2/none')", "attempt a1 at");
  refused("UPDATE current_score SET value = 0.25 WHERE metric = 'a'", "the score of a that counts");
  refused("DELETE FROM current_score WHERE metric = 'b'", "the score of b that counts");
  refused("DELETE FROM run_cell; INSERT INTO run_cell VALUES ('run', 'no such cell')", "run_cell");
  refused(
      "DROP VIEW valid_attempt; CREATE VIEW valid_attempt AS SELECT id, cell, run, environment, "
      "status, number, started_at, seconds FROM attempt",
      "its view valid_attempt is not as schema");
  refused("UPDATE attempt SET number = number + 1 WHERE id = 'a3'", "attempt a3");
}

TEST_CASE("checksum: what an older schema holds is taken as it is, and held to from then on") {
  const sample::Scratch folder;
  const auto path = folder / "s.db";
  fill(folder / "new.db");
  {
    Connection old(path.string(), "old", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    for (const int i : {0, 1}) old.execute(std::string(schema_files()[i].text));
    old.execute("ATTACH '" + (folder / "new.db").string() + "' AS new");
    for (const std::string table :
         {"plugin", "component", "metric_key", "environment", "run", "cell", "run_cell"})
      old.execute("INSERT INTO main." + table + " SELECT * FROM new." + table);
    old.execute(
        "INSERT INTO main.run_metric SELECT run, metric FROM new.run_metric;"
        "INSERT INTO main.attempt SELECT id, cell, run, environment, status, stage, signal, "
        "exit_code, message, log_tail, started_at, seconds, peak_memory, binaries FROM new.attempt;"
        "INSERT INTO main.score SELECT * FROM new.score;"
        "INSERT INTO main.sample_score SELECT * FROM new.sample_score;"
        "INSERT INTO main.retraction SELECT * FROM new.retraction;"
        "PRAGMA main.application_id = 1129270863; PRAGMA main.user_version = 2");
  }
  std::string read;
  {
    Store reader = Store::open(path, Mode::kReadOnly);  // migrated in memory
    read = exported(reader);
  }
  {
    Store writer = Store::open(path, Mode::kReadWrite);
    CHECK(exported(writer) == read);
  }
  alter(path, "UPDATE score SET value = 0.25 WHERE attempt = 'a1' AND metric = 'a'");
  Store store = Store::open(path, Mode::kReadOnly);
  CHECK(problem_of([&] { verify(store); }) == "corrupt");
}

TEST_CASE("checksum: no flipped bit of a store changes what is exported") {
  const sample::Scratch folder;
  const auto path = folder / "s.db";
  fill(path);
  std::string wanted;
  {
    Store store = Store::open(path, Mode::kReadWrite);
    store.connection().execute("PRAGMA wal_checkpoint(TRUNCATE)");
    wanted = exported(store);
  }
  const std::string good = bytes_of(path);
  std::mt19937_64 random(20260301);
  int unnoticed = 0, refused = 0;
  const int trials = conoscope::testing::kSlow ? 200 : 3000;
  for (int i = 0; i < trials; ++i) {
    const std::size_t bit = random() % (8 * good.size());
    CAPTURE(bit);
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    const auto file = folder / "flipped.db";
    std::ofstream(file, std::ios::binary) << bad;
    std::string read;
    try {
      Store store = Store::open(file, Mode::kReadOnly);
      read = exported(store);
    } catch (const StoreError&) {
      ++refused;
      continue;
    }
    CHECK(read == wanted);  // a bit that nobody reads, as those of free pages
    ++unnoticed;
  }
  MESSAGE(refused, " refused, ", unnoticed, " of no consequence");
  CHECK(refused > trials / 10);
}
