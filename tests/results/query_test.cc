// SPDX-License-Identifier: Apache-2.0
// Reading: the user's own SQL, and the saved queries behind history, status, show and export.
#include "results/store/query.h"

#include <doctest/doctest.h>

#include <set>

#include "results/boards/history.h"
#include "results/boards/show.h"
#include "results/boards/status.h"
#include "results/formats/format.h"
#include "results/store/export.h"
#include "results/store/sql.h"
#include "results/store/sqlite.h"
#include "tests/results/sample.h"
#include "tests/support/bytes_of.h"

using namespace conoscope::results;
using sample::attempt;
using sample::key_of;
using sample::memory;
using sample::problem_of;

namespace {

// Seed 1 good, 2 crashed after a timeout, 3 scored in part, 4 stopped, 5 not tried, 6 not
// applicable.
Store mixed() {
  Store store = memory({.seeds = 6});
  const auto key = [](std::int64_t seed) { return key_of("d", "m", "e", seed); };
  store.record(attempt("1", key(1), 1), std::vector{score_row("a", 0.5), score_row("b", 0.1)});
  store.record(attempt("2", key(2), 2, Status::timeout), {});
  AttemptRow crash = attempt("3", key(2), 3, Status::crashed);
  crash.signal = 11;
  crash.message = "segmentation fault at 0x7f00";
  crash.log_tail = "last words";
  store.record(crash, {});
  store.record(attempt("4", key(3), 4),
               std::vector{ScoreRow{"a", std::nullopt, "undefined", "one class only"}});
  store.record(attempt("5", key(4), 5, Status::interrupted), {});
  store.record(attempt("6", key(6), 6, Status::not_applicable), {});
  return store;
}

}  // namespace

TEST_CASE("query: any reading, with types by value") {
  Store store = mixed();
  const Table table =
      query(store,
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) "
            "SELECT i, i / 2.0 AS half, CASE i WHEN 2 THEN 'two' END AS word, x'0aff' AS "
            "blob, :name AS name FROM n; -- the end",
            {{"name", "it's"}});
  CHECK(to_text(table, Format::csv) ==
        "i,half,word,blob,name\n1,0.5,,0aff,it's\n2,1,two,0aff,it's\n3,1.5,,0aff,it's\n");
  CHECK(table.columns[0].type == ColumnType::kInteger);
  CHECK(table.columns[1].type == ColumnType::kReal);
  CHECK(table.columns[2].type == ColumnType::kText);
  CHECK(query(store, "SELECT count(*) FROM cell_state").rows.size() == 1);
}

TEST_CASE("query: refuses every way to write, also on a store open for writing") {
  Store store = mixed();
  sample::Scratch folder;
  const std::string other = (folder / "other.db").string();
  for (const std::string& sql : std::vector<std::string>{
           "DELETE FROM event", "INSERT INTO event VALUES ('', '', '', '')",
           "UPDATE run SET name = ''", "DROP TABLE event", "CREATE TABLE t (x)",
           "CREATE TEMP TABLE t (x)", "PRAGMA user_version = 9", "PRAGMA journal_mode = OFF",
           "PRAGMA writable_schema = 1", "ATTACH '" + other + "' AS o",
           "VACUUM INTO '" + other + "'", "BEGIN IMMEDIATE", "COMMIT", "SELECT load_extension('x')",
           "REINDEX", "ANALYZE", "SAVEPOINT s", "DETACH main",
           "WITH x AS (SELECT 1) DELETE FROM event"}) {
    CAPTURE(sql);
    CHECK(problem_of([&] { query(store, sql); }) == "refused");
  }
  CHECK_FALSE(std::filesystem::exists(other));
  // The guard goes with the query: the store itself can still write.
  CHECK(problem_of([&] { store.add_event({sample::at(0), "id", "", ""}); }) == "none");
}

TEST_CASE("query: what is not one statement of SQL is a bad query") {
  Store store = memory();
  for (const char* sql : {"", "   -- nothing", "SELEC 1", "SELECT 1; SELECT 2",
                          "SELECT nope FROM run", "SELECT 1; DROP TABLE event"}) {
    CAPTURE(sql);
    const std::string problem = problem_of([&] { query(store, sql); });
    CHECK((problem == "bad_query"));
  }
  CHECK(problem_of([&] { query(store, "SELECT 1", {{"name", "x"}}); }) == "bad_query");
}

TEST_CASE("query: rows and time are bounded") {
  Store store = Store::open(":memory:", Mode::kReadWrite);
  const std::string counting =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT ";
  CHECK(query(store, counting + "i FROM n LIMIT 1000", {}, {1000, 60}).rows.size() == 1000);
  CHECK_THROWS_WITH_AS(query(store, counting + "i FROM n", {}, {1000, 60}),
                       "the query has more than 1000 rows: say LIMIT, or raise --rows", StoreError);
  CHECK_THROWS_WITH_AS(query(store, counting + "count(*) FROM n", {}, {1000, 0.05}),
                       "the query took more than its seconds: ask for less, or raise --seconds",
                       StoreError);
  // The limit goes with the query.
  CHECK(query(store, counting + "count(*) FROM (SELECT i FROM n LIMIT 100000)").rows.size() == 1);
}

TEST_CASE("query: memory is bounded, of the work and of the result") {
  Store store = Store::open(":memory:", Mode::kReadWrite);
  const std::string counting =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT ";
  const QueryLimits narrow{.memory = 1 << 20};
  for (const char* what :
       {"zeroblob(900000000)", "length(hex(zeroblob(900000000)))", "printf('%900000000d', 1)"}) {
    CAPTURE(what);
    CHECK_THROWS_WITH_AS(query(store, std::string("SELECT ") + what, {}, narrow),
                         "the query takes more than its memory: ask for less, or raise --memory",
                         StoreError);
  }
  for (const char* what : {"length(group_concat(i, '----------')) FROM n", "i, zeroblob(10) FROM n",
                           "i FROM n ORDER BY i % 7, -i"}) {
    CAPTURE(what);
    CHECK_THROWS_WITH_AS(query(store, counting + what, {}, narrow),
                         "the query takes more than its memory: ask for less, or raise --memory",
                         StoreError);
    CHECK_NOTHROW(query(store, counting + what));
  }
  // The limit goes with the query.
  CHECK(store.connection().integer("SELECT length(zeroblob(2000000))") == 2'000'000);
}

TEST_CASE("query: every saved query is listed, says what it is, and runs read-only") {
  Store store = mixed();
  std::set<std::string> names;
  for (const SavedQuery& saved : saved_queries()) {
    CAPTURE(saved.name);
    names.insert(saved.name);
    CHECK(saved.summary.size() > 10);
    CHECK(saved.summary.find("--") == std::string::npos);
    CHECK(problem_of([&] { query(store, saved.sql); }) == "none");
  }
  CHECK(names.count("board") == 1);
  CHECK(names.count("export") == 1);
  CHECK_THROWS_AS(query_text("bord"), std::invalid_argument);
}

TEST_CASE("status: asked, good, failed by kind; each failure with its text") {
  Store store = mixed();
  StatusReport report = status(store);
  CHECK(to_text(report.runs, Format::csv) ==
        "run,created_at,asked,good,unscored,failed,crashed,timeout,out_of_memory,invalid_output,"
        "interrupted,not_tried,key\n"
        "name of run,2026-01-01T00:00:00.000Z,6,2,1,0,1,0,0,0,1,1,run\n");
  CHECK(to_text(report.failures, Format::csv) ==
        "run,dataset,model,explainer,control,seed,status,stage,signal,exit_code,metrics,message,"
        "cell\n"
        "name of run,d,m,e,none,2,crashed,fit,11,,,segmentation fault at 0x7f00,d/m/e/2/none\n"
        "name of run,d,m,e,none,4,interrupted,fit,,,,\"\",d/m/e/4/none\n");
  sample::ask(store, {.run = "other", .seeds = 1, .created = 3});
  CHECK(status(store).runs.rows.size() == 2);
  CHECK(status(store, "other").runs.rows.size() == 1);
  CHECK(status(store, "other").failures.rows.empty());
}

TEST_CASE("status: what metrics say about their scores, and how often, of what counts") {
  Store store = mixed();
  store.record(attempt("7", key_of("d", "m", "e", 5), 7),
               std::vector{ScoreRow{"a", std::nullopt, "undefined", "one class only"},
                           ScoreRow{"b", std::nullopt, "undefined", "one class only"}});
  store.record(attempt("8", key_of("d", "m", "e", 1), 8),
               std::vector{score_row("a", 0.5, "a caveat that is gone")});
  store.retract("8", "not so", sample::at(9));
  store.record(attempt("9", key_of("d", "m", "e", 4), 8),
               std::vector{score_row("b", 0.5, "3 rows were left out")});
  CHECK(to_text(status(store).messages, Format::csv) ==
        "run,reason,metric,scores,message\n"
        "name of run,,b,1,3 rows were left out\n"
        "name of run,undefined,2 metrics,3,one class only\n");
  CHECK(status(store, "another").messages.rows.empty());
}

TEST_CASE("status: a good cell whose later attempt at a new metric failed is a failure") {
  Store store = memory();
  sample::ask(store, {.seeds = 1});
  const std::string cell = sample::key_of("d", "m", "e", 1);
  store.record(sample::attempt("1", cell, 1), std::vector{score_row("a", 0.5)});  // b is missing
  CHECK(status(store).failures.rows.empty());
  auto later = sample::attempt("2", cell, 2, Status::crashed);
  later.message = "the new metric crashed";
  store.record(later, {});
  const auto failures = status(store).failures;
  REQUIRE(failures.rows.size() == 1);
  CHECK(std::get<std::string>(failures.rows[0][6]) == "crashed");
  CHECK(std::get<std::string>(failures.rows[0][11]) == "the new metric crashed");
}

TEST_CASE("show: a cell by the beginning of its key") {
  Store store = mixed();
  store.retract("2", "wrong limit", sample::at(9));
  CellReport report = show(store, "d/m/e/2");
  CHECK(std::get<std::string>(report.cell.rows.at(0)[2]) == "d@1.0.0");
  REQUIRE(report.attempts.rows.size() == 2);
  const std::string attempts = to_text(report.attempts, Format::csv);
  CHECK(attempts.find("2026-01-01T00:00:03.000Z,crashed,fit,,11,,1.5,,segmentation fault at "
                      "0x7f00,last words,name of run,a machine,\"\",,,3\n") != std::string::npos);
  CHECK(attempts.find("wrong limit,,2\n") != std::string::npos);
  CHECK(report.scores.rows.empty());
  CHECK(to_text(show(store, "d/m/e/1").scores, Format::csv) ==
        "group,metric,value,reason,direction,low,high,unit,attempt,message\n"
        "test,a,0.5,,higher,0,1,\"\",1,\ntest,b,0.1,,lower,0,1,\"\",1,\n");
  CHECK(to_text(show(store, "d/m/e/3").scores, Format::csv) ==
        "group,metric,value,reason,direction,low,high,unit,attempt,message\n"
        "test,a,,undefined,higher,0,1,\"\",4,one class only\n");
  CHECK(problem_of([&] { show(store, "nothing"); }) == "not_found");
}

TEST_CASE("history: every scored attempt, oldest first") {
  Store store = mixed();
  store.record(attempt("9", key_of("d", "m", "e", 1), 9), std::vector{score_row("a", 0.25)});
  store.retract("9", "wrong", sample::at(9));
  const auto values = [&](const HistoryOptions& options) {
    std::string text;
    for (const auto& row : history(store, options).rows)
      text += to_text(Table{{{"x", ColumnType::kReal}}, {{row[7]}}}, Format::csv).substr(2);
    return text;
  };
  CHECK(values({.metric = "a"}) == "0.5\n\n0.25\n");
  CHECK(values({.metric = "b", .component = "e"}) == "0.1\n");
  CHECK(values({.metric = "b", .component = "another"}) == "");
  CHECK(values({.metric = "b", .control = "random"}) == "");
  CHECK(values({.metric = "b", .component = "another\ne"}) == "0.1\n");
  const Table table = history(store, {.metric = "a"});
  CHECK(std::get<std::int64_t>(table.rows[0][10]) == 0);
  CHECK(std::get<std::int64_t>(table.rows[2][10]) == 1);  // retracted
  CHECK(std::get<std::string>(table.rows[1][8]) == "undefined");
  CHECK(std::get<std::string>(table.rows[1][9]) == "one class only");
  CHECK(problem_of([&] { history(store, {.metric = "c"}); }) == "not_found");
}

TEST_CASE("history: the file that a version came from") {
  Store store = memory({});
  for (const char* kind : {"model", "explainer"})
    store.add_plugins(
        std::vector<PluginRow>{{kind, kind == std::string("model") ? "m" : "e", "1.0.0",
                                std::string(64, kind[0]), "file.so", "", ""}});
  AttemptRow made = attempt("0", key_of("d", "m", "e", 1));
  made.binaries = "m 1.0.0 mmmmmmmmmmmmmmmm; e 1.0.0 eeeeeeeeeeeeeeee";
  store.record(made, std::vector{score_row("a", 0.25)});
  const Table table = history(store, {.metric = "a"});
  CHECK(table.columns[12].name == "file");
  CHECK(std::get<std::string>(table.rows[0][12]) == "eeeeeeeeeeeeeeee");
}

TEST_CASE("status: what an edited run file no longer asks for is no failure of it") {
  Store store = memory({.run = "old", .seeds = 2});
  store.record(attempt("0", key_of("d", "m", "e", 2), 1, Status::crashed, "old"), {});
  CHECK(status(store, "").failures.rows.size() == 1);
  const auto edited = [&](const std::string& key, int created, int seeds) {
    std::vector<CellRow> cells;
    for (int seed = 1; seed <= seeds; ++seed) cells.push_back(sample::cell("d", "m", "e", seed));
    store.register_run({key, "name of old", "[run]", sample::at(created)}, {}, cells,
                       std::vector{sample::metric("a")});
  };
  edited("new", 5, 1);
  CHECK(status(store, "").failures.rows.empty());
  CHECK(status(store, "old").failures.rows.size() == 1);  // it is still known
  // As it was before: the last run that was at work counts.
  store.record(attempt("1", key_of("d", "m", "e", 2), 9, Status::timeout, "old"), {});
  CHECK(status(store, "").failures.rows.size() == 1);
  store.record(attempt("2", key_of("d", "m", "e", 2), 10, Status::ok, "old"),
               std::vector{score_row("a", 1), score_row("b", 1)});
  CHECK(status(store, "").failures.rows.empty());
}

TEST_CASE("export: every asked cell and metric, without times, ids and messages of failures") {
  Store store = mixed();
  const std::string text = to_text(export_table(store), Format::csv);
  const std::string subject =
      R"(d@1.0.0,"{""of"": ""d""}","",m@1.0.0,"{""of"": ""m""}",e@1.0.0,"{""of"": ""e""}",)";
  CHECK(text ==
        "dataset,dataset_params,dataset_content,model,model_params,explainer,explainer_params,seed,"
        "control,status,stage,metric,value,reason,message,"
        "dataset_name,model_name,explainer_name,cell\n" +
            subject + "1,none,ok,,a,0.5,,,d,m,e,d/m/e/1/none\n" + subject +
            "1,none,ok,,b,0.1,,,d,m,e,d/m/e/1/none\n" + subject +
            "2,none,crashed,fit,a,,,,d,m,e,d/m/e/2/none\n" + subject +
            "2,none,crashed,fit,b,,,,d,m,e,d/m/e/2/none\n" + subject +
            "3,none,ok,,a,,undefined,one class only,d,m,e,d/m/e/3/none\n" + subject +
            "3,none,not_scored,,b,,,,d,m,e,d/m/e/3/none\n" + subject +
            "4,none,not_tried,,a,,,,d,m,e,d/m/e/4/none\n" + subject +
            "4,none,not_tried,,b,,,,d,m,e,d/m/e/4/none\n" + subject +
            "5,none,not_tried,,a,,,,d,m,e,d/m/e/5/none\n" + subject +
            "5,none,not_tried,,b,,,,d,m,e,d/m/e/5/none\n" + subject +
            "6,none,not_applicable,,a,,,,d,m,e,d/m/e/6/none\n" + subject +
            "6,none,not_applicable,,b,,,,d,m,e,d/m/e/6/none\n");
}

TEST_CASE("export: the cells of several runs come once, one run's alone on demand") {
  Store store = mixed();
  sample::ask(store, {.run = "other", .seeds = 2, .metrics = {sample::metric("a")}, .created = 3});
  CHECK(export_table(store).rows.size() == 12);
  CHECK(export_table(store, "other").rows.size() == 2);
}

TEST_CASE("export: in parts it is the same text for machines") {
  Store store = mixed();
  std::vector<ComponentRow> components;
  std::vector<CellRow> cells;
  for (const char* dataset : {"z", "c"})
    components.push_back(sample::component("dataset", dataset));
  for (const char* model : {"y", "b"}) components.push_back(sample::component("model", model));
  for (const char* dataset : {"z", "c"})
    for (const char* model : {"y", "b"})
      for (const char* explainer : {"e", ""})
        for (const int seed : {10, 9})
          cells.push_back(sample::cell(dataset, model, explainer, seed));
  store.register_run({"many", "many", "[run]", sample::at(9)}, components, cells,
                     std::vector{sample::metric("b", "lower"), sample::metric("a")});
  for (const Format& format : {Format::csv, Format::json, Format::ndjson})
    for (const std::string run : {"", "many", "none"})
      for (const std::size_t at_once : {1, 4, 100}) {
        TextInParts text(format);
        std::string whole;
        export_in_parts(
            store, run, [&](const Table& part) { whole += text.add(part); }, at_once);
        CHECK(whole + text.end() == to_text(export_table(store, run), format));
      }
}

TEST_CASE("query: the examples in docs/store.md run and give rows") {
  Store store = memory({.explainers = {"e", "f"}, .controls = {"none", "random_importance"}});
  int id = 0;
  for (const char* explainer : {"e", "f"})
    for (const char* control : {"none", "random_importance"}) {
      const double value = std::string(control) == "none" ? 0.75 : 0.25;
      store.record(attempt(std::to_string(++id), key_of("d", "m", explainer, 1, control)),
                   std::vector{score_row("a", value), ScoreRow{"b", std::nullopt, "undefined"}});
    }
  store.record(attempt("x", key_of("d", "m", "e", 2), 0, Status::timeout), {});

  const std::string page = conoscope::testing::bytes_of(CONOSCOPE_STORE_PAGE);
  std::vector<Table> tables;
  const std::string fence = "```sql\n";
  for (std::size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at + 1)) {
    const std::size_t begin = at + fence.size();
    tables.push_back(query(store, page.substr(begin, page.find("```", begin) - begin)));
  }
  REQUIRE(tables.size() == 4);
  CHECK(to_text(tables[0], Format::csv) ==
        "explainer,metric,n,mean\ne,a,1,0.75\ne,b,0,\nf,a,1,0.75\nf,b,0,\n");
  CHECK(to_text(tables[1], Format::ndjson).find("\"above\": 0.5}") != std::string::npos);
  CHECK(tables[1].rows.size() == 2);
  CHECK(to_text(tables[2], Format::csv) == "status,stage,message,times\ntimeout,fit,\"\",1\n");
  CHECK(to_text(tables[3], Format::csv) == "metric,reason,cells\nb,undefined,4\n");
}
