// SPDX-License-Identifier: Apache-2.0
#include "results/store/store.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>
#include <stdexcept>

#include "results/boards/status.h"
#include "results/store/binaries.h"
#include "results/store/checksum.h"
#include "results/store/sqlite.h"
#include "tests/results/sample.h"

using namespace conoscope::results;
using sample::at;
using sample::attempt;
using sample::key_of;
using sample::memory;
using sample::problem_of;

namespace {

std::int64_t count(Store& store, const std::string& table) {
  return store.connection().integer("SELECT count(*) FROM " + table);
}

std::vector<ScoreRow> both(double a, double b) { return {score_row("a", a), score_row("b", b)}; }

const std::string kFirst = key_of("d", "m", "e", 1);
const std::string kSecond = key_of("d", "m", "e", 2);

}  // namespace

TEST_CASE("store: registering a run again changes nothing") {
  Store store = memory();
  const auto counts = [&] {
    return std::array{count(store, "run"),        count(store, "component"),
                      count(store, "cell"),       count(store, "run_cell"),
                      count(store, "metric_key"), count(store, "run_metric")};
  };
  CHECK(counts() == std::array<std::int64_t, 6>{1, 3, 3, 3, 2, 2});
  sample::ask(store);
  CHECK(counts() == std::array<std::int64_t, 6>{1, 3, 3, 3, 2, 2});
  REQUIRE(store.runs().size() == 1);
  CHECK(store.runs()[0].file_text == "[run]");
}

TEST_CASE("store: a key with another content is a conflict, and nothing of the run is kept") {
  Store store = memory();
  const RunRow run = {"run2", "second", "", at(1)};
  const std::vector<ComponentRow> none;
  const std::vector<CellRow> no_cells;
  const std::vector<MetricKeyRow> no_metrics;
  std::string message;

  std::vector<ComponentRow> other = {sample::component("explainer", "e")};
  other[0].params = "{}";
  CHECK(problem_of([&] { store.register_run(run, other, no_cells, no_metrics); }, &message) ==
        "conflict");
  CHECK(message.find("component e") != std::string::npos);

  std::vector<CellRow> cells = {sample::cell("d", "m", "e", 1)};
  cells[0].seed = 99;
  CHECK(problem_of([&] { store.register_run(run, none, cells, no_metrics); }) == "conflict");

  const std::vector<MetricKeyRow> metrics = {sample::metric("a", "lower")};
  CHECK(problem_of([&] { store.register_run(run, none, no_cells, metrics); }, &message) ==
        "conflict");
  CHECK(message.find(
            "metric a has the direction higher here, and now lower: the scores that are here "
            "would be ranked in another way; give it another name, or use another --store") !=
        message.npos);

  const std::vector<CellRow> orphan = {sample::cell("d", "unknown", "e", 1)};
  CHECK(problem_of([&] { store.register_run(run, none, orphan, no_metrics); }) == "constraint");
  CHECK(count(store, "run") == 1);
}

TEST_CASE("store: a cell without explainer") {
  Store store = memory();
  const std::vector<CellRow> cells = {sample::cell("d", "m", "", 1)};
  for (int i = 0; i < 2; ++i) store.register_run({"r2", "r2", "", at(1)}, {}, cells, {});
  CHECK(store.connection().integer("SELECT count(*) FROM cell WHERE explainer IS NULL") == 1);
}

TEST_CASE("store: recording the same attempt again changes nothing") {
  Store store = memory();
  const std::vector<SampleScoreRow> parts = {sample_score_row("a", 0, 0.25),
                                             sample_score_row("a", 1, NAN)};
  CHECK(store.record(attempt("x", kFirst), both(0.5, 2), parts));
  CHECK_FALSE(store.record(attempt("x", kFirst), both(0.5, 2), parts));
  CHECK(count(store, "attempt") == 1);
  CHECK(count(store, "score") == 2);
  CHECK(count(store, "sample_score") == 2);
  CHECK(store.connection().text("SELECT reason FROM sample_score WHERE part = 1") == "nan");
  CHECK(problem_of([&] { store.record(attempt("x", kSecond), both(0.5, 2)); }) == "conflict");
}

TEST_CASE("store: what would be written to a deleted or moved file is refused") {
  sample::Scratch folder;
  for (const bool removed : {true, false}) {
    const auto path = folder / (removed ? "removed.db" : "moved.db");
    Store store = Store::open(path, Mode::kReadWrite);
    sample::ask(store);
    store.record(attempt("1", kFirst), both(1, 2));
    if (removed)
      std::filesystem::remove(path);
    else
      std::filesystem::rename(path, folder / "elsewhere.db");
    std::string message;
    CHECK(problem_of([&] { store.record(attempt("2", kSecond), both(1, 2)); }, &message) ==
          "cannot_open");
    CHECK(message == path.string() + ": the file was deleted or moved while it was in use");
  }
}

TEST_CASE("store: every field of an attempt comes back") {
  Store store = memory();
  AttemptRow row = attempt("x", kFirst, 3, Status::crashed);
  row.signal = 11;
  row.exit_code = std::nullopt;
  row.message = "it fell";
  row.log_tail = "line\nline";
  row.seconds = 0.125;
  row.peak_memory = 1'000'000'000'000;
  row.binaries = "abc";
  store.record(row, {});
  Statement query(store.connection(), "SELECT * FROM attempt");
  REQUIRE(query.step());
  CHECK(query.text(0) == "x");
  CHECK(query.text(1) == kFirst);
  CHECK(query.text(2) == "run");
  CHECK(query.text(3) == sample::kHere.key);
  CHECK(query.text(4) == "crashed");
  CHECK(query.text(5) == "fit");
  CHECK(query.integer(6) == 11);
  CHECK(query.is_null(7));
  CHECK(query.text(8) == "it fell");
  CHECK(query.text(9) == "line\nline");
  CHECK(query.text(10) == "2026-01-01T00:00:03.000Z");
  CHECK(query.real(11) == 0.125);
  CHECK(query.integer(12) == 1'000'000'000'000);
  CHECK(query.text(13) == "abc");
}

TEST_CASE("store: an attempt is saved whole or not at all") {
  Store store = memory();
  std::string message;
  const auto record = [&](const std::vector<ScoreRow>& scores) {
    return problem_of([&] { store.record(attempt("x", kFirst), scores); }, &message);
  };
  CHECK(record({score_row("a", 1), score_row("unknown", 1)}) == "constraint");
  CHECK(message.find("attempt x at cell " + kFirst) != std::string::npos);
  CHECK(record({score_row("a", 1), {"b", std::nullopt, ""}}) == "constraint");
  CHECK(record({score_row("a", 1), {"b", 1.0, "nan"}}) == "constraint");
  CHECK(record({score_row("a", 1), {"b", std::nullopt, "felt wrong"}}) == "constraint");
  CHECK(record({score_row("a", 1), score_row("a", 2)}) == "constraint");
  CHECK_THROWS_AS(record({{"a", std::numeric_limits<double>::infinity(), ""}}),
                  std::invalid_argument);
  CHECK_THROWS_AS(
      store.record(attempt("x", kFirst), {}, std::vector<SampleScoreRow>{{"a", 0, NAN, ""}}),
      std::invalid_argument);
  // A part belongs to a score.
  CHECK(problem_of([&] {
          store.record(attempt("x", kFirst), {}, std::vector{sample_score_row("a", 0, 1)});
        }) == "constraint");
  CHECK(problem_of([&] { store.record(attempt("x", "no such cell"), {}); }) == "constraint");
  CHECK(problem_of([&] { store.record(attempt("x", kFirst, 0, Status::ok, "no such run"), {}); }) ==
        "constraint");
  AttemptRow row = attempt("x", kFirst);
  row.started_at = "yesterday";
  CHECK(problem_of([&] { store.record(row, {}); }) == "constraint");
  row = attempt("x", kFirst);
  row.seconds = -1;
  CHECK(problem_of([&] { store.record(row, {}); }) == "constraint");
  CHECK(count(store, "attempt") == 0);
  CHECK(count(store, "score") == 0);
  CHECK(count(store, "current_score") == 0);
}

TEST_CASE("store: the schema itself refuses bare NaN, infinity, unknown words and changes") {
  Store store = memory();
  store.record(attempt("x", kFirst), both(0.5, 2));
  const auto refuses = [&](const std::string& sql) {
    return problem_of([&] { store.connection().execute(sql); }) == "constraint";
  };
  store.record(attempt("y", kSecond), {});
  CHECK(
      refuses("INSERT INTO score (attempt, metric, value, reason) VALUES ('y', 'a', NULL, NULL)"));
  CHECK(
      refuses("INSERT INTO score (attempt, metric, value, reason) VALUES ('y', 'a', 9e999, NULL)"));
  CHECK(refuses(
      "INSERT INTO score (attempt, metric, value, reason) VALUES ('y', 'a', -9e999, NULL)"));
  CHECK(refuses(
      "INSERT INTO score (attempt, metric, value, reason) VALUES ('y', 'a', 'text', NULL)"));
  CHECK(refuses("INSERT INTO component VALUES ('k', 'metric', '', '', '', '', '')"));
  CHECK(refuses("INSERT INTO metric_key VALUES ('k', '', 'sideways', 0, 1, '', '', '')"));
  CHECK(refuses("UPDATE attempt SET status = 'failed' WHERE id = 'x'"));
  CHECK(refuses("DELETE FROM attempt WHERE id = 'y'"));
  CHECK(refuses("UPDATE score SET value = 1"));
  CHECK(refuses("DELETE FROM score"));
  CHECK(refuses("INSERT INTO score VALUES ('y', 'b', 0.5, NULL, NULL)"));
  CHECK_FALSE(
      refuses("INSERT INTO score (attempt, metric, value, reason) VALUES ('y', 'a', 0.5, NULL)"));
}

TEST_CASE("store: score rows put a reason where there is no number") {
  CHECK(score_row("a", 0.5).value == 0.5);
  CHECK(score_row("a", 0.5).reason.empty());
  CHECK(score_row("a", NAN).reason == "nan");
  CHECK_FALSE(score_row("a", NAN).value);
  CHECK(score_row("a", INFINITY).reason == "posinf");
  CHECK(score_row("a", -INFINITY).reason == "neginf");
  CHECK(sample_score_row("a", 3, -INFINITY).reason == "neginf");
  CHECK(score_row("a", NAN, "0 / 0").message == "0 / 0");
}

TEST_CASE("store: what is known of a cell, metric by metric") {
  Store store = memory();
  const auto metrics = [&](const std::string& cell) {
    std::set<std::string> out;
    for (const auto& [metric, binaries] : store.known(cell).scores) out.insert(metric);
    return out;
  };
  using Names = std::set<std::string>;
  CHECK(metrics(kFirst) == Names{});
  CHECK(store.tried_cells().empty());
  CHECK_FALSE(store.known(kFirst).good);

  // One that failed says which score it could not give; the other one counts.
  store.record(attempt("1", kFirst, 0, Status::crashed),
               std::vector{score_row("a", 0.5), ScoreRow{"b", std::nullopt, "error"}});
  CHECK(metrics(kFirst) == Names{"a"});
  CHECK_FALSE(store.known(kFirst).good);

  // A later attempt that scores the rest completes the cell; a reason is an outcome as well.
  store.record(attempt("2", kFirst, 1), std::vector{ScoreRow{"b", std::nullopt, "undefined"}});
  CHECK(metrics(kFirst) == Names{"a", "b"});
  CHECK(store.known(kFirst).good == Status::ok);

  // A later failure does not take away what an earlier attempt has found, and what it has found
  // itself is the newest.
  store.record(attempt("3", kFirst, 9, Status::crashed),
               std::vector{score_row("a", 0.25), ScoreRow{"b", std::nullopt, "error"}});
  CHECK(metrics(kFirst) == Names{"a", "b"});
  CHECK(store.connection().text("SELECT group_concat(attempt || metric, ' ') FROM current_score "
                                "WHERE cell = '" +
                                kFirst + "'") == "3a 2b");

  // A cell that does not apply needs no scores; a failed one stays to do.
  store.record(attempt("4", kSecond, 0, Status::failed), {});
  CHECK_FALSE(store.known(kSecond).good);
  store.record(attempt("5", kSecond, 1, Status::not_applicable), {});
  CHECK(store.known(kSecond).good == Status::not_applicable);
  CHECK(store.tried_cells() == std::set<std::string>{kFirst, kSecond});

  store.retract("3", "wrong labels", at(10));
  store.retract("2", "wrong labels", at(10));
  CHECK(metrics(kFirst) == Names{"a"});
}

TEST_CASE("store: how a cell stands, metric by metric") {
  Store store = memory({.seeds = 1});
  const auto state = [&] { return store.connection().text("SELECT state FROM cell_state"); };
  const auto failed = [&] {
    std::string out;
    for (const auto& row : status(store).failures.rows)
      out += std::get<std::string>(row[6]) + " " +
             (std::holds_alternative<std::string>(row[10]) ? std::get<std::string>(row[10]) : "-") +
             "; ";
    return out;
  };
  const ScoreRow no_a{"a", std::nullopt, "error"}, no_b{"b", std::nullopt, "error"};
  CHECK(state() == "not_tried");
  store.record(attempt("1", kFirst, 1, Status::interrupted), {});
  CHECK(state() == "interrupted");
  store.record(attempt("2", kFirst, 2, Status::crashed), {});  // its explanation: no score can be
  CHECK(state() == "crashed");
  CHECK(failed() == "crashed -; ");
  store.record(attempt("3", kFirst, 3), std::vector{score_row("a", 0.5)});
  CHECK(state() == "unscored");  // what failed has gone well since
  CHECK(failed() == "");
  store.record(attempt("4", kFirst, 4, Status::timeout), std::vector{no_b});
  CHECK(state() == "timeout");
  CHECK(failed() == "timeout b; ");
  store.record(attempt("5", kFirst, 5, Status::failed), std::vector{no_a});  // a counts already
  CHECK(state() == "timeout");
  store.retract("3", "wrong labels", at(9));
  CHECK(state() == "failed");
  CHECK(failed() == "timeout b; failed a; ");
  store.record(attempt("6", kFirst, 6), both(0.5, 2));
  CHECK(state() == "ok");
  CHECK(failed() == "");
}

TEST_CASE("store: attempts are ordered by a number that only grows, whatever their dates") {
  Store store = memory();
  const auto value = [&] {
    return store.connection().real("SELECT value FROM current_score WHERE metric = 'a'");
  };
  AttemptRow far = attempt("of a clock that was wrong", kFirst);
  far.started_at = "2999-01-01T00:00:00.000Z";
  store.record(far, std::vector{score_row("a", 1)});
  store.record(attempt("later", kFirst, -3600), std::vector{score_row("a", 2)});
  CHECK(value() == 2);
  store.record(attempt("last", kFirst, -7200), std::vector{score_row("a", 3)});
  CHECK(value() == 3);
  store.retract("last", "a mistake", at(9));
  CHECK(value() == 2);

  // Where the clock has stepped back the numbers go on from where they were.
  Connection& c = store.connection();
  c.execute("DROP TRIGGER attempt_is_not_changed");
  c.execute("UPDATE attempt SET number = 99999999999999 WHERE id = 'later'");
  store.record(attempt("after", kFirst), std::vector{score_row("a", 4)});
  CHECK(value() == 4);
  CHECK(c.integer("SELECT number FROM attempt WHERE id = 'after'") == 100000000000000);
}

TEST_CASE("store: which plugin files an outcome rests on") {
  Store store = memory();
  const auto by = [&](const std::string& files, const std::string& id,
                      const std::vector<ScoreRow>& scores, Status status = Status::ok) {
    AttemptRow row = attempt(id, kFirst, 0, status);
    row.binaries = files;
    store.record(row, scores);
  };
  using Files = std::map<std::string, std::string>;
  const auto files = [&] { return store.known(kFirst).scores; };
  by("A", "1", both(0.5, 2));
  CHECK(files() == Files{{"a", "A"}, {"b", "A"}});
  by("B", "2", {score_row("a", 0.25)});
  CHECK(files() == Files{{"a", "B"}, {"b", "A"}});
  CHECK(store.known(kFirst).binaries == "B");  // the newest
  by("C", "3", {}, Status::not_applicable);
  CHECK(store.known(kFirst).good == Status::not_applicable);
  CHECK(store.known(kFirst).binaries == "C");
  store.retract("3", "a mistake", at(10));
  store.retract("2", "a mistake", at(10));
  CHECK(files() == Files{{"a", "A"}, {"b", "A"}});
}

TEST_CASE("store: runs that ask for different metrics share the files that both name") {
  CHECK(same_files("d 1 aa; m 1 bb; e 1 cc", "d 1 aa; m 1 bb; e 1 cc"));
  CHECK(same_files("d 1 aa; m 1 bb; e 1 cc", "d 1 aa; m 1 bb; e 1 cc; mine 2 dd"));
  CHECK_FALSE(same_files("d 1 aa; m 1 bb; e 1 cc", "d 1 aa; m 1 bb; e 1 c0"));
  CHECK_FALSE(same_files("d 1 aa; m 1 bb; e 1 cc; mine 2 d0", "d 1 aa; m 1 bb; e 1 cc; mine 2 dd"));
  CHECK_FALSE(same_files("both 1 aa; both 1 bb", "both 1 aa; both 1 b0"));  // a dataset and a model
  CHECK(same_files("", "d 1 aa"));
}

TEST_CASE("store: what a plugin is run with is compared where both name it, by its name") {
  const std::string now = "d 1 aa; mine 1 bb python=3.11.2 torch=2.0.1+cpu lib.so=cc system~dd";
  CHECK(same_files("d 1 aa; mine 1 bb", now));
  CHECK(same_files("d 1 aa; mine 1 bb python=3.11.2 system~00", now));  // it is of the environment
  const auto found =
      different_files("d 1 aa; mine 1 bb python=3.11.2 torch=2.0.1+cu118 lib.so=00 other=1", now);
  REQUIRE(found.size() == 2);
  CHECK(found[0].what == "lib.so of plugin mine");
  CHECK(found[1].what == "torch of plugin mine");
  CHECK(found[1].stored == "2.0.1+cu118");
  CHECK(found[1].now == "2.0.1+cpu");
  const auto named = files_of(now);
  CHECK(named.at("plugin mine") == "1 bb");
  CHECK(named.at("system libraries of plugin mine") == "dd");
}

TEST_CASE("store: retracting uncovers the older attempt, and again changes nothing") {
  Store store = memory();
  const auto current = [&] {
    return store.connection().text(
        "SELECT group_concat(attempt || metric || value, ' ') FROM "
        "current_score WHERE cell = '" +
        kFirst + "'");
  };
  store.record(attempt("old", kFirst, 1), both(0.125, 2));
  store.record(attempt("new", kFirst, 2), std::vector{score_row("a", 0.25)});
  CHECK(current() == "newa0.25 oldb2.0");
  store.retract("new", "a mistake", at(3));
  store.retract("new", "a mistake", at(3));
  CHECK(current() == "olda0.125 oldb2.0");
  CHECK(count(store, "retraction") == 1);
  store.retract("old", "a mistake", at(3));
  CHECK(current() == "");
  CHECK(count(store, "attempt") == 2);
  CHECK(problem_of([&] { store.retract("never was", "", at(3)); }) == "not_found");
}

TEST_CASE("store: current_score is what its definition says after any history") {
  // Random attempts (equal times included), scores and retractions in random order.
  std::mt19937_64 random(7);
  const auto below = [&](std::uint64_t n) { return static_cast<int>(random() % n); };
  for (int round = 0; round < 20; ++round) {
    Store store = memory();
    std::vector<std::string> ids;
    for (int i = 0; i < 40; ++i) {
      const std::string id = std::to_string(random());
      std::vector<ScoreRow> scores;
      if (below(3) != 0) scores.push_back(score_row("a", below(100)));
      if (below(3) != 0)
        scores.push_back(
            score_row("b", below(4) == 0 ? std::nan("") : static_cast<double>(below(100))));
      store.record(attempt(id, key_of("d", "m", "e", 1 + below(3)), below(10),
                           below(4) == 0 ? Status::failed : Status::ok),
                   scores);
      ids.push_back(id);
      if (below(3) == 0)
        store.retract(ids[static_cast<std::size_t>(below(ids.size()))], "why not", at(below(5)));
    }
    const std::string defined =
        "SELECT metric, cell, attempt, value, reason FROM (SELECT score.metric, good.cell, "
        "score.attempt, score.value, score.reason, row_number() OVER (PARTITION BY score.metric, "
        "good.cell ORDER BY good.number DESC, good.id DESC) AS age FROM score JOIN "
        "valid_attempt AS good ON good.id = score.attempt "
        "WHERE score.reason IS NOT 'error') WHERE age = 1";
    const std::string kept = "SELECT metric, cell, attempt, value, reason FROM current_score";
    CHECK(count(store, "current_score") > 0);
    CHECK(count(store, "(" + defined + " EXCEPT " + kept + ")") == 0);
    CHECK(count(store, "(" + kept + " EXCEPT " + defined + ")") == 0);
  }
}

TEST_CASE("store: median seconds by component") {
  Store store = memory();
  CHECK(store.median_seconds().empty());
  const auto took = [&](const std::string& id, std::int64_t seed, double seconds, Status status) {
    AttemptRow row = attempt(id, key_of("d", "m", "e", seed), 0, status);
    row.seconds = seconds;
    store.record(row, {});
  };
  took("1", 1, 1, Status::ok);
  took("2", 2, 100, Status::ok);
  took("3", 3, 3, Status::ok);
  took("4", 3, 5000, Status::timeout);
  CHECK(store.median_seconds() == std::map<std::string, double>{{"d", 3}, {"e", 3}, {"m", 3}});
  took("5", 3, 5, Status::ok);
  CHECK(store.median_seconds().at("e") == 4);
}

TEST_CASE("store: finding runs and cells") {
  Store store = memory();
  sample::ask(store, {.run = "run-b", .created = 5});
  CHECK(store.find_run("run") == "run");
  CHECK(store.find_run("run-") == "run-b");
  CHECK(store.find_run("name of run-b") == "run-b");
  std::string message;
  CHECK(problem_of([&] { store.find_run("ru"); }, &message) == "not_found");
  CHECK(message.find("several runs") != std::string::npos);
  CHECK(problem_of([&] { store.find_run("x"); }, &message) == "not_found");
  CHECK(message.find("name of run-b") != std::string::npos);
  CHECK(store.find_cell("d/m/e/2") == kSecond);
  CHECK(problem_of([&] { store.find_cell("d/m"); }, &message) == "not_found");
  CHECK(message.find(kSecond) != std::string::npos);
  CHECK(problem_of([&] { store.find_cell(""); }) == "not_found");
  CHECK(problem_of([&] { store.find_cell("%"); }) == "not_found");
}

TEST_CASE("store: plugins, environments and events are kept once") {
  Store store = memory();
  for (int i = 0; i < 2; ++i) {
    store.add_plugins(std::vector<PluginRow>{{"explainer", "e", "1", "aa", "e.so", "MIT", "c"},
                                             {"explainer", "e", "1", "bb", "e.so", "MIT", "c"}});
    store.add_event({at(1), "id", "note", "text"});
    store.add_environment(sample::kHere);
  }
  CHECK(count(store, "plugin") == 2);
  CHECK(count(store, "event") == 1);
  CHECK(count(store, "environment") == 1);
}

TEST_CASE("rows: time text") {
  using namespace std::chrono;
  CHECK(utc_text(system_clock::time_point(milliseconds(1'767'225'600'250))) ==
        "2026-01-01T00:00:00.250Z");
  CHECK(utc_text(system_clock::time_point(milliseconds(-1))) == "1969-12-31T23:59:59.999Z");
}

TEST_CASE("rows: status words") {
  for (int i = 0; i < 8; ++i) {
    const auto status = static_cast<Status>(i);
    CHECK(parse_status(to_text(status)) == status);
  }
  CHECK_THROWS_AS(parse_status("fine"), std::invalid_argument);
}

TEST_CASE(
    "store: a score over seeds is outdated when a cell that it compares with counts no more") {
  Store store = memory();
  const std::string third = key_of("d", "m", "e", 3);
  const auto peers_of = [&](const std::string& cell) {
    return store.scores_over_seeds("a")[cell].peers;
  };
  for (const auto& [id, cell] : {std::pair("1", kFirst), {"2", kSecond}, {"3", third}})
    store.record(attempt(id, cell), std::vector{score_row("b", 2)});
  CHECK(store.scores_over_seeds("a").empty());
  store.record(attempt("4", kFirst, 1), std::vector{score_row("a", 0.5)}, {},
               std::vector{kSecond, third});
  CHECK(peers_of(kFirst) == std::set<std::string>{kSecond, third});
  store.record(attempt("5", kFirst, 2), std::vector{score_row("a", 0.25)}, {}, std::vector{third});
  CHECK(peers_of(kFirst) == std::set<std::string>{third});
  store.retract("2", "wrong labels", at(10));
  CHECK(peers_of(kFirst) == std::set<std::string>{third});
  store.retract("3", "wrong labels", at(10));
  CHECK(store.scores_over_seeds("a").empty());
  CHECK(problem_of([&] {
          store.record(attempt("6", kFirst, 3), std::vector{score_row("a", 1)}, {},
                       std::vector<std::string>{"nothing"});
        }) == "constraint");
  CHECK(count(store, "attempt") == 5);
  verify(store);
  CHECK(problem_of([&] { store.connection().execute("DELETE FROM attempt_peer"); }) ==
        "constraint");
}
