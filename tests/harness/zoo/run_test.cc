// SPDX-License-Identifier: Apache-2.0
// A run of good and broken plugins together: the good ones lose nothing, and each fault is a row
// that says what it was.

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/harness/zoo/bench.h"
#include "tests/support/capture_binding.h"

namespace conoscope::testing {

namespace {

using nlohmann::json;

struct Fault {
  const char* status;
  const char* stage;
  std::string message;  ///< part of it
};

// What a run finds out about each of them; those that hang have a case of their own. Others of the zoo break rules that a single fit cannot
// show; they have rows in the next list.
const std::map<std::string, Fault> kFaults = {
    {"abort", {"crashed", "explain: fit", "killed by SIGABRT, Aborted"}},
    {"bad_metadata", {"failed", "explain: load", "metadata:1: "}},
    {"contradiction", {"failed", "explain: load", "its table contradicts its metadata"}},
    {"crash_at_load", {"crashed", "explain: load", "killed by SIGSEGV, Segmentation fault"}},
    {"exit_zero", {"crashed", "explain: fit", "exited with code 0 before its work was finished"}},
    {"fast_math", {"failed", "explain: load", "flush-to-zero"}},
    {"leak_without_end",
     {"out_of_memory", "explain: fit", "used more than limits.memory = " + kMemory}},
    {"nan_output", {"invalid_output", "explain: fit", "cavs[0, 1] is NaN"}},
    {"no_entry", {"failed", "explain: load", "exports no symbol conoscope_plugin_entry"}},
    {"ordinary", {"failed", "explain: load", "no conoscope plugin"}},
    {"segfault", {"crashed", "explain: fit", "killed by SIGSEGV, Segmentation fault"}},
    {"text_file", {"failed", "explain: load", "does not start as an ELF file"}},
    {"throws_five", {"failed", "explain: fit", "threw something that is not a std::exception"}},
    {"throws_in_constructor", {"failed", "explain: load", "no licence server"}},
    {"throws_runtime_error", {"failed", "explain: fit", "the tape has run out"}},
    {"truncated", {"failed", "explain: load", "cut short: it has 6000 bytes"}},
    {"undefined_symbol",
     {"failed", "explain: load", "undefined symbol: conoscope_nobody_has_this"}},
    {"wrong_abi", {"failed", "explain: load", "built for plugin border 99.0"}},
    {"wrong_shape", {"invalid_output", "explain: fit", "cavs is "}},
};
const std::vector<std::string> kUnnoticed = {"address_dependent", "deaf",         "leak_each_call",
                                             "nondeterministic",  "stdout_noise", "strides_ignored",
                                             "seed_dependent"};
const std::vector<std::string> kGood = {"perfect", "kmeans", "svd", "nmf", "random_concepts"};

void check_fault(const json& row, const std::string& name, const Fault& fault) {
  CAPTURE(name);
  CAPTURE(row.dump());
  CHECK(row["status"] == fault.status);
  CHECK(row["stage"] == fault.stage);
  CHECK(row["message"].get<std::string>().find(fault.message) != std::string::npos);
}

/// What `status` has of each explainer's cell that failed.
std::map<std::string, json> failures_by_explainer(const Bench& bench, const std::string& run) {
  std::map<std::string, json> out;
  for (const auto& row : bench.failures(run)) out[row["explainer"]] = row;
  return out;
}

/// Runs a file of one cell, which fails, and has the row that `status` has of it.
json only_failure(const Bench& bench, const std::string& run, const std::string& options = "") {
  CHECK(bench("run " + run + ".toml --no-board" + options).code == 4);
  const json failed = bench.failures(run);
  REQUIRE(failed.size() == 1);
  return failed[0];
}

}  // namespace

TEST_CASE("broken explainers take nothing from the good ones, and each fault has its row") {
  const Bench bench;
  std::string plugins = kSubject;
  for (const auto& name : kGood) plugins += entry("explainer", "id = \"" + name + "\"");
  for (const auto& [name, fault] : kFaults) plugins += broken_entry("explainer", name);
  for (const auto& name : kUnnoticed) plugins += broken_entry("explainer", name);
  bench.run_file("zoo", plugins);
  const Said said = bench("run zoo.toml -j 2 --format json");
  INFO(said.err);
  CHECK(said.code == 4);

  std::map<std::string, json> board;
  for (const auto& row : json::parse(said.out)) board[row["explainer"]] = row;
  for (const auto* list : {&kGood, &kUnnoticed})
    for (const auto& name : *list) {
      CAPTURE(name);
      REQUIRE(board.count(name) == 1);
      CHECK(board[name]["coverage_n"] == 1);
      CHECK(board[name]["coverage_asked"] == 1);
      CHECK(board[name]["surf_mae"].is_number());
      CHECK_FALSE(board[name]["rank"].is_null());
    }
  CHECK(board["perfect"]["rank"] == 1);

  auto failed = failures_by_explainer(bench, "zoo");
  CHECK(failed.size() == kFaults.size());
  for (const auto& [name, fault] : kFaults) {
    CAPTURE_BINDING(name);
    REQUIRE(failed.count(name) == 1);
    check_fault(failed[name], name, fault);
    CHECK(board[name]["rank"].is_null());
  }
  CHECK(failed["segfault"]["signal"] == 11);
  CHECK(failed["exit_zero"]["exit_code"] == 0);

  // Standard output is reported, at once and in the store.
  const std::string noise = "stdout_noise: wrote 13 bytes to standard output (explain: fit)";
  CHECK(said.err.find(noise) != std::string::npos);
  const auto events = json::parse(
      bench("query \"SELECT text FROM event WHERE kind = 'standard_output'\" --format json").out);
  REQUIRE(events.size() == 1);
  CHECK(events[0]["text"] == noise);

  // What killed its process at load is not loaded again; what failed in fit is.
  CHECK(bench("run zoo.toml -j 2 --no-board").code == 4);
  failed = failures_by_explainer(bench, "zoo");
  CHECK(failed.size() == kFaults.size());
  check_fault(failed["crash_at_load"], "crash_at_load",
              {"failed", "explain: load", "in quarantine: loading it killed by SIGSEGV"});
  check_fault(failed["segfault"], "segfault", kFaults.at("segfault"));
  CHECK(content_of(bench.scratch.path("cache/quarantine.tsv")).find('\t') != std::string::npos);
}

TEST_CASE("a quarantine that cannot be written is said, and ends no run") {
  const Bench bench;
  std::filesystem::create_directories(bench.scratch.path("cache/quarantine.tsv/full"));
  bench.run_file("unkept", kSubject + broken_entry("explainer", "crash_at_load") +
                               entry("explainer", "id = \"perfect\""));
  const Said said = bench("run unkept.toml --no-board");
  CHECK(said.code == 4);
  CHECK_MESSAGE(
      said.err.find("quarantine.tsv: cannot be written: Is a directory") != std::string::npos,
      said.err);
  CHECK(said.err.find("1 ok") != std::string::npos);
}

TEST_CASE("an explainer that hangs is ended at its limit, and not loaded again if it hung there") {
  const Bench bench;
  bench.run_file("hangs",
                 kSubject + broken_entry("explainer", "hang_at_load") +
                     broken_entry("explainer", "hang_in_fit"),
                 kSecondsToHang);
  const Fault in_fit{"timeout", "explain: fit", "still running after"};
  CHECK(bench("run hangs.toml -j 2 --no-board").code == 4);
  auto failed = failures_by_explainer(bench, "hangs");
  CHECK(failed.size() == 2);
  check_fault(failed["hang_at_load"], "hang_at_load",
              {"timeout", "explain: load", "did not finish loading: still running after"});
  check_fault(failed["hang_in_fit"], "hang_in_fit", in_fit);
  CHECK(bench("run hangs.toml -j 2 --no-board").code == 4);
  failed = failures_by_explainer(bench, "hangs");
  check_fault(failed["hang_at_load"], "hang_at_load",
              {"failed", "explain: load", "in quarantine: loading it did not finish loading"});
  check_fault(failed["hang_in_fit"], "hang_in_fit", in_fit);
}

TEST_CASE("a broken model fails its cells by name") {
  const Bench bench;
  bench.run_file("model", kSubject + broken_entry("model", "nan_activations") +
                              entry("explainer", "id = \"perfect\""));
  const json failed = only_failure(bench, "model");
  CHECK(failed["model"] == "nan_activations");
  check_fault(failed, "nan_activations",
              {"invalid_output", "model: fit", "activations[2, 0, 3] is NaN"});
}

TEST_CASE("a model that dies as it is served to an explainer does not quarantine the explainer") {
  const Bench bench;
  bench.run_file("served", entry("dataset", "id = \"digits\"") +
                               broken_entry("model", "dies_when_served") +
                               entry("explainer", "id = \"hu_mcd\""));
  const json failed = only_failure(bench, "served", " --confine off");
  check_fault(failed, "dies_when_served", {"crashed", "explain: open", "killed by SIGABRT"});
  CHECK(content_of(bench.scratch.path("cache/quarantine.tsv")).empty());
}

TEST_CASE("a broken metric fails by name, and says at which scores") {
  const Bench bench;
  bench.run_file("metric", kSubject + entry("explainer", "id = \"perfect\"") +
                               broken_entry("metric", "score_out_of_range"));
  const json failed = only_failure(bench, "metric");
  check_fault(failed, "score_out_of_range",
              {"invalid_output", "score: score",
               "score score_out_of_range = 1.5 is outside its declared range"});
  CHECK(failed["metrics"] == "score_out_of_range");
}

TEST_CASE("a metric plugin's fault costs its own scores, in its run and in later ones") {
  const Bench bench;
  const std::string subject =
      kSubject + entry("explainer", "id = \"perfect\"") + entry("explainer", "id = \"svd\"");
  const auto query = [&](const std::string& store, const std::string& sql) {
    const Said said = bench("query \"" + sql + "\" --format json --store " + store);
    INFO(said.err);
    REQUIRE(said.code == 0);
    return json::parse(said.out);
  };
  const auto built_in = [&](const std::string& store) {
    return query(store,
                 "SELECT cell, metric, value, reason FROM current_score "
                 "WHERE metric NOT GLOB 'score_*' ORDER BY cell, metric");
  };
  bench.run_file("alone", subject);
  REQUIRE(bench("run alone.toml --no-board --store alone.db").code == 0);
  const json alone = built_in("alone.db");
  REQUIRE(alone.size() > 10);

  struct Expected {
    const char* fault;
    const char* said;  ///< the status of the attempt; of one that ends well the reason of the score
    int code;
  };
  for (const auto& [fault, said, code] :
       {Expected{"abort", "crashed", 4}, Expected{"exit", "crashed", 4},
        Expected{"hang", "timeout", 4}, Expected{"nan", "invalid_output", 4},
        Expected{"throw", "failed", 4}, Expected{"inapplicable", "not_applicable", 0},
        Expected{"silent", "not_applicable", 0}, Expected{"undefined", "undefined", 0}}) {
    CAPTURE_BINDING(fault);
    const std::string name = fault, store = " --store " + name + ".db";
    bench.run_file(name,
                   subject + entry("metric", "file = \"" + broken_plugin("score_fault") +
                                                 "\"\nparams = { fault = \"" + name + "\" }"),
                   kSecondsToHang);
    const auto run = bench("run " + name + ".toml -j 2 --format json" + store);
    INFO(run.err);
    CHECK(run.code == code);
    for (const auto& row : json::parse(run.out)) {
      CHECK(row["surf_mae"].is_number());
      CHECK(row["coverage_n"] == 1);
      CHECK_FALSE(row["rank"].is_null());
    }
    CHECK(built_in(name + ".db") == alone);
    const json says = query(name + ".db",
                            "SELECT cell, reason FROM score JOIN attempt ON id = attempt "
                            "WHERE metric = 'score_fault' AND coalesce(nullif(reason, "
                            "'error'), status) = '" +
                                std::string(said) + "'");
    CHECK(says.size() == 2);
    if (code == 4) {
      const json failed = json::parse(bench("status --format json" + store).out)["failures"];
      REQUIRE(failed.size() == 2);
      CHECK(failed[0]["status"] == said);
      CHECK(failed[0]["metrics"] == "score_before_fault score_fault");
    }

    // Nothing but what is missing is asked for again, and without the plugin nothing is.
    const auto again = bench("run " + name + ".toml --no-board" + store);
    CHECK(again.code == code);
    CHECK(again.err.find(code == 4 ? "2 to do now" : "0 to do now") != std::string::npos);
    CHECK(query(name + ".db",
                "SELECT count(*) AS n FROM score WHERE metric = 'surf_mae'")[0]["n"] == 2);
    CHECK(built_in(name + ".db") == alone);
    const auto without = bench("run alone.toml --no-board" + store);
    CHECK(without.code == 0);
    CHECK(without.err.find("0 to do now") != std::string::npos);
  }
}

TEST_CASE("a broken dataset fails its cells by name") {
  const Bench bench;
  bench.run_file("dataset", broken_entry("dataset", "overlapping_split") +
                                broken_entry("model", "image_model") +
                                entry("explainer", "id = \"perfect\""));
  const json failed = only_failure(bench, "dataset");
  check_fault(
      failed, "overlapping_split",
      {"invalid_output", "dataset: load data", "test_index[0]: sample 3 is in the split twice"});
}

TEST_CASE("plugin check prints a line for each check and ends with 0 or 3") {
  const Bench bench;
  const Said good = bench("plugin check '" + good_plugin("perfect") + "'");
  CHECK(good.code == 0);
  CHECK(good.out.find("pass     file: explainer perfect 1.0.0\npass     load\n") == 0);
  const Said bad = bench("plugin check '" + broken_plugin("segfault") + "' --format json");
  CHECK(bad.code == 3);
  const auto rows = json::parse(bad.out);
  REQUIRE(rows.size() >= 3);
  CHECK(rows[2]["check"] == "fit softmax");
  CHECK(rows[2]["verdict"] == "FAIL");
  CHECK(bench("plugin check '" + broken_plugin("text_file") + "'").code == 3);
  CHECK(bench("plugin check").code == 2);
  CHECK(bench("plugin check '" + good_plugin("kmeans") + "' --param k").code == 2);
  CHECK(bench("plugin check '" + good_plugin("kmeans") + "' --param k=two").code == 2);
  CHECK(bench("plugin check '" + good_plugin("kmeans") + "' --seconds 0").code == 2);
}

}  // namespace conoscope::testing
