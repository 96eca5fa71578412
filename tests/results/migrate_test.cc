// SPDX-License-Identifier: Apache-2.0
// Stores of an older schema: written on, read as they are, and merged both ways.
#include "results/store/migrate.h"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include "results/boards/board.h"
#include "results/boards/show.h"
#include "results/formats/format.h"
#include "results/store/checksum.h"
#include "results/store/export.h"
#include "results/store/merge.h"
#include "results/store/sql.h"
#include "results/store/sqlite.h"
#include "tests/results/sample.h"
#include "tests/support/bytes_of.h"
#include "tests/support/capture_binding.h"

using namespace conoscope::results;
using conoscope::testing::bytes_of;
using sample::attempt;
using sample::key_of;

namespace {

const std::string kFirst = key_of("d", "m", "e", 1);
const std::string kSecond = key_of("d", "m", "e", 2);

/// A store as the first schema's programs wrote it: seed 1 scored twice and the later attempt
/// retracted, seed 2 undefined, seed 3 not tried.
void make_old_store(const std::filesystem::path& path) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &database) == SQLITE_OK);
  const auto execute = [&](const std::string& sql) {
    INFO(sqlite3_errmsg(database));
    REQUIRE(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  };
  execute("PRAGMA journal_mode = WAL");
  execute(std::string(schema_files()[0].text));
  execute("PRAGMA application_id = 1129270863; PRAGMA user_version = 1");
  execute(R"(
    INSERT INTO component VALUES ('d', 'dataset', 'd', '1.0.0', '{"of": "d"}', '', 'd'),
                                 ('m', 'model', 'm', '1.0.0', '{"of": "m"}', '', 'm'),
                                 ('e', 'explainer', 'e', '1.0.0', '{"of": "e"}', '', 'e');
    INSERT INTO metric_key VALUES ('a', 'test', 'higher', 0, 1, '', 'a citation', 'a question?'),
                                  ('b', 'test', 'lower', 0, 1, '', 'a citation', 'a question?');
    INSERT INTO cell VALUES ('d/m/e/1/none', 'd', 'm', 'e', 1, 'none'),
                            ('d/m/e/2/none', 'd', 'm', 'e', 2, 'none'),
                            ('d/m/e/3/none', 'd', 'm', 'e', 3, 'none');)");
  execute("INSERT INTO environment VALUES ('" + sample::kHere.key + "', '" + sample::kHere.text +
          "')");
  execute("INSERT INTO run VALUES ('run', 'name of run', '[run]', '" + sample::at(0) + "')");
  execute(R"(
    INSERT INTO run_metric VALUES ('run', 'a'), ('run', 'b');
    INSERT INTO run_cell VALUES ('run', 'd/m/e/1/none'), ('run', 'd/m/e/2/none'),
                                ('run', 'd/m/e/3/none');)");
  for (const auto& [id, cell, seconds] :
       {std::tuple("old", kFirst, 1), std::tuple("new", kFirst, 2),
        std::tuple("other", kSecond, 3)})
    execute("INSERT INTO attempt VALUES ('" + std::string(id) + "', '" + cell + "', 'run', '" +
            sample::kHere.key + "', 'ok', 'done', NULL, NULL, '', '', '" + sample::at(seconds) +
            "', 1.5, NULL, '')");
  execute(R"(
    INSERT INTO score VALUES ('old', 'a', 0.5, NULL), ('old', 'b', 0.25, NULL),
                             ('new', 'a', 0.75, NULL), ('other', 'a', NULL, 'undefined');
    INSERT INTO sample_score VALUES ('old', 'a', 0, 0.5, NULL);)");
  execute("INSERT INTO retraction VALUES ('new', 'wrong labels', '" + sample::at(9) + "')");
  execute("INSERT INTO event VALUES ('" + sample::at(9) + "', 'event', 'note', 'text')");
  sqlite3_close(database);
}

std::string exported(Store& store) { return to_text(export_table(store), Format::csv); }

std::int64_t count(Store& store, const std::string& table) {
  return store.connection().integer("SELECT count(*) FROM " + table);
}

void check_rows(Store& store) {
  CHECK(store.connection().integer("PRAGMA user_version") == newest_schema());
  CHECK(store.connection().text("PRAGMA integrity_check") == "ok");
  CHECK(store.connection().text("PRAGMA foreign_key_check") == "");
  for (const auto& [table, rows] :
       std::initializer_list<std::pair<const char*, int>>{{"component", 3},
                                                          {"run_cell", 3},
                                                          {"run_component", 3},
                                                          {"attempt", 3},
                                                          {"score", 4},
                                                          {"sample_score", 1},
                                                          {"retraction", 1},
                                                          {"event", 1},
                                                          {"current_score", 3}}) {
    CAPTURE_BINDING(table);
    CHECK(count(store, table) == rows);
  }
  CHECK(store.connection().text("SELECT group_concat(message, '') FROM score") == "");
  CHECK(store.connection().real("SELECT value FROM current_score WHERE metric = 'a' AND cell = '" +
                                kFirst + "'") == 0.5);
}

}  // namespace

TEST_CASE("migrate: opening an old store for writing keeps every row, and it takes messages") {
  sample::Scratch folder;
  make_old_store(folder / "s.db");
  Store store = Store::open(folder / "s.db", Mode::kReadWrite);
  check_rows(store);
  store.record(attempt("third", key_of("d", "m", "e", 3), 5),
               std::vector{ScoreRow{"a", std::nullopt, "undefined", "all labels are equal"}});
  CHECK(store.connection().text("SELECT message FROM score WHERE attempt = 'third'") ==
        "all labels are equal");
  // Scores stay append-only, their messages too.
  CHECK(sample::problem_of([&] { store.connection().execute("UPDATE score SET message = 'x'"); }) ==
        "constraint");
}

TEST_CASE("migrate: an old store is read without being changed") {
  sample::Scratch folder;
  make_old_store(folder / "s.db");
  const std::string before = bytes_of(folder / "s.db");
  Store reader = Store::open(folder / "s.db", Mode::kReadOnly);
  check_rows(reader);
  BoardOptions options;
  options.metrics = {"a"};
  CHECK(board(reader, options).rows.size() == 1);
  CHECK(show(reader, kFirst).scores.rows.size() == 2);
  CHECK(sample::problem_of([&] {
          reader.add_event({sample::at(0), "id", "", ""});
        }) == "read_only");
  const std::string read = exported(reader);
  // Another one at the same time has a copy of its own.
  Store second = Store::open(folder / "s.db", Mode::kReadOnly);
  CHECK(exported(second) == read);
  CHECK(bytes_of(folder / "s.db") == before);
  Store writer = Store::open(folder / "s.db", Mode::kReadWrite);
  CHECK(exported(writer) == read);
}

TEST_CASE("migrate: scores that stood beside a metric that failed or did not apply count now") {
  sample::Scratch folder;
  make_old_store(folder / "s.db");
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open((folder / "s.db").c_str(), &database) == SQLITE_OK);
  const auto add = [&](const std::string& id, const std::string& status, const std::string& stage,
                       int seconds, const std::string& value) {
    const std::string sql =
        "INSERT INTO attempt VALUES ('" + id + "', 'd/m/e/3/none', 'run', '" + sample::kHere.key +
        "', '" + status + "', '" + stage + "', NULL, NULL, '', '', '" + sample::at(seconds) +
        "', 1.5, NULL, ''); INSERT INTO score VALUES ('" + id + "', 'a', " + value + ", NULL)";
    REQUIRE(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  };
  add("crashed", "crashed", "score: score", 7, "0.5");
  add("inapplicable", "not_applicable", "score: score", 6, "0.25");
  sqlite3_close(database);
  Store store = Store::open(folder / "s.db", Mode::kReadWrite);
  const std::string third = "cell = 'd/m/e/3/none'";
  const auto value = [&] {
    return store.connection().real("SELECT value FROM current_score WHERE metric = 'a' AND " +
                                   third);
  };
  const auto state = [&] {
    return store.connection().text("SELECT state FROM cell_state WHERE " + third);
  };
  CHECK(value() == 0.5);
  CHECK(state() == "crashed");  // b is missing, and this may be why
  store.retract("crashed", "wrong labels", sample::at(9));
  CHECK(value() == 0.25);
  CHECK(state() == "unscored");  // not done: the next run asks for b
  verify(store);
}

TEST_CASE("migrate: an old store merges into a new one, and a new one into an old one") {
  sample::Scratch folder;
  make_old_store(folder / "old.db");
  const std::string before = bytes_of(folder / "old.db");
  const auto make_new = [&](const std::string& name) {
    Store store = Store::open(folder / name, Mode::kReadWrite);
    sample::ask(store);
    store.record(attempt("third", key_of("d", "m", "e", 3), 5),
                 std::vector{score_row("a", 0.125, "8 of 10 rows were left out")});
  };
  make_new("new.db");
  make_new("again.db");

  Store into_new = Store::open(folder / "new.db", Mode::kReadWrite);
  CHECK(merge(into_new, folder / "old.db").at("score") == 4);
  CHECK(merge(into_new, folder / "old.db").at("score") == 0);
  CHECK(bytes_of(folder / "old.db") == before);

  Store into_old = Store::open(folder / "old.db", Mode::kReadWrite);
  CHECK(merge(into_old, folder / "again.db").at("score") == 1);
  CHECK(exported(into_old) == exported(into_new));
  CHECK(exported(into_old).find("ok,,a,0.125,,8 of 10 rows were left out,") != std::string::npos);
  CHECK(count(into_old, "attempt") == 4);
}

TEST_CASE("migrate: a run of an old store keeps the names that it had") {
  sample::Scratch folder;
  make_old_store(folder / "s.db");
  Store store = Store::open(folder / "s.db", Mode::kReadWrite);
  ComponentRow renamed = sample::component("explainer", "e");
  renamed.name = "mine";
  store.register_run({"later", "later", "[run]", sample::at(9)}, std::vector{renamed},
                     std::vector{sample::cell("d", "m", "e", 1)}, std::vector{sample::metric("a")});
  const auto explainer = [&](const std::string& run) {
    BoardOptions options;
    options.run = run;
    options.metrics = {"a"};
    return board_entries(store, options, "a", "none").at(0).explainer;
  };
  CHECK(explainer("run") == "e");
  CHECK(explainer("later") == "mine");
  CHECK(explainer("") == "mine");  // the newest
}

TEST_CASE("migrate: a stranger's trigger in an old store is not run") {
  sample::Scratch folder;
  make_old_store(folder / "s.db");
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open((folder / "s.db").c_str(), &database) == SQLITE_OK);
  // Bringing the store to a newer schema would fire it.
  REQUIRE(sqlite3_exec(database,
                       "CREATE TRIGGER own AFTER UPDATE ON attempt BEGIN "
                       "UPDATE score SET value = 1; END",
                       nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
  for (const Mode mode : {Mode::kReadOnly, Mode::kReadWrite}) {
    CAPTURE(static_cast<int>(mode));
    try {
      Store::open(folder / "s.db", mode);
      FAIL("it was opened");
    } catch (const StoreError& error) {
      CHECK(error.problem() == StoreProblem::corrupt);
      CHECK(std::string(error.what()).find("its trigger own is not as schema 1 has it") !=
            std::string::npos);
    }
  }
}
