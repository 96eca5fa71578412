// SPDX-License-Identifier: Apache-2.0
#include "results/store/merge.h"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "results/formats/format.h"
#include "results/store/checksum.h"
#include "results/store/export.h"
#include "results/store/sqlite.h"
#include "tests/results/sample.h"
#include "tests/support/capture_binding.h"

using namespace conoscope::results;
using sample::attempt;
using sample::key_of;
using sample::problem_of;

namespace {

const sample::Plan kPlan = {.explainers = {"e", "f"}, .controls = {"none", "random"}, .seeds = 4};

// One outcome per cell, the same in every shard that computes it.
std::vector<ScoreRow> outcome(std::size_t cell) {
  return {score_row("a", 0.1 * static_cast<double>(cell)),
          cell % 5 == 0 ? ScoreRow{"b", std::nullopt, "undefined", "no variance"}
                        : score_row("b", 1.0 / static_cast<double>(cell))};
}

std::vector<std::string> cell_keys() {
  std::vector<std::string> keys;
  for (const char* explainer : {"e", "f"})
    for (const char* control : {"none", "random"})
      for (int seed = 1; seed <= 4; ++seed)
        keys.push_back(key_of("d", "m", explainer, seed, control));
  return keys;
}

std::string exported(Store& store) { return to_text(export_table(store), Format::csv); }

// Shard i of 3: a third of the cells, with its own times, ids, retries, and one retracted mistake.
void make_shard(const std::filesystem::path& path, std::size_t shard) {
  Store store = Store::open(path, Mode::kReadWrite);
  sample::Plan plan = kPlan;
  plan.created = static_cast<int>(shard) * 10;
  sample::ask(store, plan);
  const auto keys = cell_keys();
  for (std::size_t i = shard; i < keys.size(); i += 3) {
    const std::string id = std::to_string(shard) + "-" + std::to_string(i);
    const int time = static_cast<int>(i * 7 % 5);
    if (i == 7) {
      store.record(attempt(id, keys[i], time, Status::timeout), {});
      continue;
    }
    if (i == 8) continue;  // nobody does this one
    if (i % 2 == 0) store.record(attempt(id + "-failed", keys[i], time, Status::crashed), {});
    store.record(attempt(id, keys[i], time + 1), outcome(i));
    if (i % 4 == 0) {
      store.record(attempt(id + "-wrong", keys[i], time + 2), std::vector{score_row("a", -1)});
      store.retract(id + "-wrong", "a mistake", sample::at(50));
    }
  }
  store.add_event({sample::at(1), "event-" + std::to_string(shard), "note", "shard"});
}

}  // namespace

TEST_CASE("merge: any order and any number of times gives the same export as one store") {
  sample::Scratch folder;
  for (std::size_t i = 0; i < 3; ++i) make_shard(folder / std::to_string(i), i);

  Store whole = Store::open(":memory:", Mode::kReadWrite);
  sample::ask(whole, kPlan);
  const auto keys = cell_keys();
  for (std::size_t i = keys.size(); i-- > 0;) {
    if (i == 8) continue;
    if (i == 7)
      whole.record(attempt("t", keys[i], 900, Status::timeout), {});
    else
      whole.record(attempt("x" + std::to_string(i), keys[i], static_cast<int>(i)), outcome(i));
  }
  const std::string wanted = exported(whole);
  CHECK(std::count(wanted.begin(), wanted.end(), '\n') == 1 + 16 * 2);
  CHECK(wanted.find("timeout,fit,a,,,,") != std::string::npos);
  CHECK(wanted.find("not_tried,,a,,,,") != std::string::npos);
  CHECK(wanted.find("ok,,b,,undefined,no variance,") != std::string::npos);

  std::array<int, 3> order = {0, 1, 2};
  do {
    Store store = Store::open(":memory:", Mode::kReadWrite);
    for (int round = 0; round < 2; ++round) {
      for (const int shard : order) {
        const auto added = merge(store, folder / std::to_string(shard));
        if (round == 0) CHECK(added.at("attempt") > 0);
        if (round == 1)
          for (const auto& [table, rows] : added) {
            CAPTURE_BINDING(table);
            CHECK(rows == 0);
          }
      }
    }
    CHECK(exported(store) == wanted);
    CHECK(store.connection().integer("SELECT count(*) FROM event") == 3);
    REQUIRE(store.runs().size() == 1);
    CHECK(store.runs()[0].created_at == sample::at(0));
    CHECK(store.connection().text("PRAGMA foreign_key_check") == "");
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("merge: what comes back from a merge can be merged on") {
  sample::Scratch folder;
  for (std::size_t i = 0; i < 3; ++i) make_shard(folder / std::to_string(i), i);
  Store all = Store::open(folder / "all.db", Mode::kReadWrite);
  for (int i = 0; i < 3; ++i) merge(all, folder / std::to_string(i));
  Store first = Store::open(folder / "0", Mode::kReadWrite);
  const auto added = merge(first, folder / "all.db");
  CHECK(added.at("attempt") > 0);
  CHECK(added.at("run_cell") == 0);
  CHECK(exported(first) == exported(all));

  Store kept_nowhere = Store::open(":memory:", Mode::kReadWrite);
  merge(kept_nowhere, folder / "all.db");
  Store second = Store::open(folder / "1", Mode::kReadWrite);
  merge(second, kept_nowhere);
  CHECK(exported(second) == exported(all));
}

TEST_CASE("merge: a retraction that comes before its scores, or after, holds") {
  sample::Scratch folder;
  const std::string key = key_of("d", "m", "e", 1);
  Store here = Store::open(folder / "here.db", Mode::kReadWrite);
  sample::ask(here);
  here.record(attempt("x", key), std::vector{score_row("a", 0.5)});
  {
    Store there = Store::open(folder / "there.db", Mode::kReadWrite);
    merge(there, folder / "here.db");
    there.retract("x", "wrong", sample::at(9));
  }
  merge(here, folder / "there.db");
  CHECK(here.connection().integer("SELECT count(*) FROM current_score") == 0);
  Store fresh = Store::open(":memory:", Mode::kReadWrite);
  merge(fresh, folder / "there.db");
  merge(fresh, folder / "here.db");
  CHECK(fresh.connection().integer("SELECT count(*) FROM current_score") == 0);
}

TEST_CASE("merge: the same key with another content is refused, and nothing is taken") {
  sample::Scratch folder;
  make_shard(folder / "0", 0);
  const auto merged = [&](const auto& fill, const std::string& run = "run") {
    const auto path = folder / "other.db";
    std::filesystem::remove(path);
    {
      Store store = Store::open(path, Mode::kReadWrite);
      fill(store);
      store.record(attempt("new", key_of("d", "m", "e", 1), 0, Status::ok, run), {});
    }
    Store into = Store::open(":memory:", Mode::kReadWrite);
    merge(into, folder / "0");
    const std::string before = exported(into);
    std::string message;
    const std::string problem = problem_of([&] { merge(into, path); }, &message);
    CHECK(exported(into) == before);
    CHECK(into.connection().integer("SELECT count(*) FROM attempt WHERE id = 'new'") ==
          (problem == "none" ? 1 : 0));
    return problem + message.substr(std::min(message.size(), message.find(".db: ") + 4));
  };
  const std::string key = cell_keys()[3];
  const auto same_attempt = [&](Status status = Status::ok) {
    AttemptRow row = attempt("0-3", key, 2, status);
    Store store = Store::open(folder / "0", Mode::kReadOnly);
    row.number = store.connection().integer("SELECT number FROM attempt WHERE id = '0-3'");
    return row;
  };
  const auto with_attempt = [&](const AttemptRow& row, const std::vector<ScoreRow>& scores) {
    return merged([&](Store& store) {
      sample::ask(store, kPlan);
      store.record(row, scores);
    });
  };
  CHECK(with_attempt(same_attempt(), outcome(3)) == "none");
  CHECK(with_attempt(same_attempt(), {score_row("a", 7), outcome(3)[1]})
            .find("conflict attempt 0-3 has another content") == 0);
  CHECK(with_attempt(same_attempt(), {score_row("a", 0.1 * 3, "all is well"), outcome(3)[1]})
            .find("conflict attempt 0-3 has another content") == 0);
  CHECK(with_attempt(same_attempt(Status::failed), {}).find("conflict attempt 0-3") == 0);

  // What rides on an attempt that is known.
  const AttemptRow row = same_attempt();
  const auto with_more = [&](const std::vector<ScoreRow>& scores,
                             const std::vector<SampleScoreRow>& parts,
                             const std::vector<std::string>& peers) {
    return merged([&](Store& store) {
      sample::ask(store, kPlan);
      store.register_run({"other", "other", "[run]", sample::at(0)}, {}, {},
                         std::vector{sample::metric("c")});
      std::vector<ScoreRow> all = outcome(3);
      all.insert(all.end(), scores.begin(), scores.end());
      store.record(row, all, parts, peers);
    });
  };
  CHECK(with_more({}, {}, {}) == "none");
  CHECK(with_more({score_row("c", 1)}, {}, {}).find("conflict attempt 0-3") == 0);
  CHECK(with_more({}, {sample_score_row("a", 0, 1)}, {}).find("conflict attempt 0-3") == 0);
  CHECK(with_more({}, {}, {cell_keys()[0]}).find("conflict attempt 0-3") == 0);

  // What a run asks for, more or less.
  const auto with_run = [&](int seeds, const std::vector<MetricKeyRow>& metrics) {
    sample::Plan plan = kPlan;
    plan.seeds = seeds;
    plan.metrics = metrics;
    return merged([&](Store& store) { sample::ask(store, plan); });
  };
  CHECK(with_run(kPlan.seeds, kPlan.metrics) == "none");
  CHECK(with_run(kPlan.seeds + 1, kPlan.metrics).find("conflict run run has another") == 0);
  CHECK(with_run(kPlan.seeds - 1, kPlan.metrics).find("conflict run run has another") == 0);
  CHECK(with_run(kPlan.seeds, {kPlan.metrics[0]}).find("conflict run run has another") == 0);
  CHECK(with_run(kPlan.seeds, {kPlan.metrics[0], kPlan.metrics[1], sample::metric("c")})
            .find("conflict run run has another") == 0);

  const auto with_plan = [&](const ComponentRow& model, const CellRow& last,
                             const MetricKeyRow& metric) {
    return merged(
        [&](Store& store) {
          store.add_environment(sample::kHere);
          const std::vector components = {sample::component("dataset", "d"), model,
                                          sample::component("explainer", "e")};
          store.register_run({"plan", "a plan", "[run]", sample::at(0)}, components,
                             std::vector{sample::cell("d", "m", "e", 1), last},
                             std::vector{metric});
        },
        "plan");
  };
  const auto model = sample::component("model", "m");
  const auto last = sample::cell("d", "m", "e", 4);
  CHECK(with_plan(model, last, sample::metric("a")) == "none");
  CHECK(with_plan(sample::component("model", "m", "2.0.0"), last, sample::metric("a"))
            .find("conflict component m") == 0);
  CellRow other = last;
  other.seed = 77;
  CHECK(with_plan(model, other, sample::metric("a")).find("conflict cell d/m/") == 0);
  CHECK(with_plan(model, last, sample::metric("a", "lower")).find("conflict metric a") == 0);
}

TEST_CASE("merge attempts: those that are named, with what they refer to and no more") {
  const sample::Scratch folder;
  Store there = Store::open(folder / "there.db", Mode::kReadWrite);
  sample::ask(there, {.run = "theirs", .explainers = {"e", "f"}});
  there.add_environment(environment_row("elsewhere"));
  const std::string key = key_of("d", "m", "e", 1), peer = key_of("d", "m", "e", 2);
  AttemptRow wanted = attempt("wanted", key, 1, Status::ok, "theirs");
  wanted.environment = environment_row("elsewhere").key;
  wanted.binaries = "e 1.0.0 eeeeeeeeeeeeeeee";
  for (const char* hash : {"e", "x"})
    there.add_plugins(std::vector<PluginRow>{
        {"explainer", "e", "1.0.0", std::string(64, hash[0]), "file.so", "", ""}});
  there.record(wanted, std::vector{score_row("a", 0.5)}, std::vector{sample_score_row("a", 0, 1)},
               std::vector{peer});
  there.record(attempt("other", peer, 1, Status::ok, "theirs"), std::vector{score_row("b", 0.25)});
  there.add_event({sample::at(1), "event", "note", "a note"});

  Store into = sample::memory({.run = "mine", .seeds = 1, .metrics = {sample::metric("a")}});
  const std::vector<std::string> ids = {"wanted", "none such"};
  const auto added = merge_attempts(into, there, ids);
  CHECK(added.at("attempt") == 1);
  CHECK(added.at("score") == 1);
  CHECK(added.at("sample_score") == 1);
  CHECK(added.at("attempt_peer") == 1);
  CHECK(added.at("attempt_checksum") == 1);
  CHECK(added.at("environment") == 1);
  CHECK(added.at("run") == 1);
  CHECK(added.at("cell") == 1);    // the peer
  CHECK(added.at("plugin") == 1);  // not the one of another file
  CHECK(added.at("component") == 0);
  CHECK(added.at("metric_key") == 0);
  verify(into);
  CHECK(into.connection().text("PRAGMA foreign_key_check") == "");
  CHECK(into.known(key).scores.contains("a"));
  CHECK(into.connection().integer("SELECT count(*) FROM event") == 0);
  // What the other run asks for is not known here, so it is none of this store's runs.
  REQUIRE(into.runs().size() == 1);
  CHECK(into.runs()[0].key == "mine");
  CHECK(into.run("theirs").name == "name of theirs");
  CHECK(problem_of([&] { into.find_run("theirs"); }) == "not_found");
  CHECK(problem_of([&] { into.run("none such"); }) == "not_found");
  for (const auto& [table, rows] : merge_attempts(into, there, ids)) {
    CAPTURE_BINDING(table);
    CHECK(rows == 0);
  }
  // The rest may follow.
  CHECK(merge(into, there).at("run_cell") == 6);
  CHECK(into.runs().size() == 2);
}

TEST_CASE("merge attempts: another content under the same key is refused") {
  const sample::Scratch folder;
  Store there = Store::open(folder / "there.db", Mode::kReadWrite), into = sample::memory();
  sample::ask(there);
  const std::string key = key_of("d", "m", "e", 1);
  there.record(attempt("x", key), std::vector{score_row("a", 0.5)});
  into.record(attempt("x", key), std::vector{score_row("a", 0.25)});
  const std::vector<std::string> ids = {"x"};
  CHECK(problem_of([&] { merge_attempts(into, there, ids); }) == "conflict");
}

TEST_CASE("merge: of a copy comes what the file held when it was read") {
  sample::Scratch folder;
  make_shard(folder / "0", 0);
  make_shard(folder / "1", 1);
  Store wanted = Store::open(":memory:", Mode::kReadWrite);
  merge(wanted, folder / "0");
  Store copy = Store::open(folder / "0", Mode::kCopy);
  std::filesystem::rename(folder / "1", folder / "0");
  Store into = Store::open(":memory:", Mode::kReadWrite);
  CHECK(merge(into, copy).at("attempt") > 0);
  CHECK(exported(into) == exported(wanted));
  // Nor does what is added to it reach the file.
  make_shard(folder / "2", 2);
  CHECK(merge(copy, folder / "2").at("attempt") > 0);
  CHECK(exported(copy) != exported(wanted));
  Store file = Store::open(folder / "0", Mode::kReadOnly);
  CHECK(file.connection().integer("SELECT count(*) FROM attempt WHERE id LIKE '2-%'") == 0);
}

TEST_CASE("merge: refuses newer schemas, other files, and itself") {
  sample::Scratch folder;
  Store into = Store::open(folder / "into.db", Mode::kReadWrite);
  make_shard(folder / "0", 0);
  const auto set_version = [&](int version) {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open((folder / "0").c_str(), &database) == SQLITE_OK);
    sqlite3_exec(database, ("PRAGMA user_version = " + std::to_string(version)).c_str(), nullptr,
                 nullptr, nullptr);
    sqlite3_close(database);
  };
  set_version(7);
  std::string message;
  CHECK(problem_of([&] { merge(into, folder / "0"); }, &message) == "newer_schema");
  CHECK(message.find("schema 7 is newer than 6") != std::string::npos);
  set_version(6);
  CHECK(problem_of([&] { merge(into, folder / "0"); }) == "none");
  CHECK(problem_of([&] { merge(into, folder / "none"); }) == "cannot_open");
  std::ofstream(folder / "text") << std::string(3000, 'x');
  CHECK(problem_of([&] { merge(into, folder / "text"); }) == "not_a_database");
  CHECK_THROWS_AS(merge(into, folder / "into.db"), std::invalid_argument);
  Store reader = Store::open(folder / "into.db", Mode::kReadOnly);
  CHECK(problem_of([&] { merge(reader, folder / "0"); }) == "read_only");
}

TEST_CASE("merge: names go with their runs, and the export has those of a run or of all") {
  sample::Scratch folder;
  const auto make = [&](const std::string& run, const std::string& name) {
    Store store = Store::open(folder / run, Mode::kReadWrite);
    sample::ask(store, {.run = run, .seeds = 1});
    ComponentRow e = sample::component("explainer", "e");
    e.name = name;
    store.register_run({run, run, "[run]", sample::at(0)}, std::vector{e}, {}, {});
    store.record(attempt(run, key_of("d", "m", "e", 1), 1, Status::ok, run),
                 std::vector{score_row("a", 0.5)});
  };
  make("one", "the first");
  make("two", "mine");
  for (const auto& [into, from] : {std::pair("one", "two"), {"two", "one"}}) {
    const std::string both = std::string("both into ") + into;
    std::filesystem::copy_file(folder / into, folder / both);
    Store store = Store::open(folder / both, Mode::kReadWrite);
    CHECK(merge(store, folder / from).at("run_component") == 3);
    CHECK(exported(store).find(",d,m,mine; the first,") != std::string::npos);
    const std::string one = to_text(export_table(store, "one"), Format::csv);
    CHECK(one.find(",d,m,the first,") != std::string::npos);
  }
}
