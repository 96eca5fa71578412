// SPDX-License-Identifier: Apache-2.0
// Plugins that mean harm: what they forge is not believed, what they take is bounded, what they start
// ends, and what is none of their business stays shut. With and without confinement.

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "harness/core/processes/confinement.h"
#include "tests/harness/zoo/bench.h"
#include "tests/support/npy_bytes.h"
#include "tests/support/preload.h"

namespace conoscope::testing {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Start {
  std::string kind = "explainer";
  int seconds = kSeconds;
  std::string under = "";  ///< what the command is started by
  std::string file = "";   ///< empty: as it is in the zoo
  std::string subject = kSubject;
};

/// The failure of the one cell that a plugin of the zoo has.
json failure(const Bench& bench, const std::string& name, const std::string& options,
             const Start& start = {}) {
  const bool explainer = start.kind == "explainer";
  bench.run_file(name,
                 start.subject + (explainer ? "" : entry("explainer", "id = \"perfect\"")) +
                     (start.file.empty() ? broken_entry(start.kind, name)
                                         : entry(start.kind, "file = \"" + start.file + "\"")),
                 start.seconds);
  const Said said = bench("run " + name + ".toml --no-board " + options, start.under);
  CAPTURE(name);
  CAPTURE(options);
  CAPTURE(said.err);
  CHECK(said.code == 4);
  const auto rows = bench.failures(name);
  REQUIRE(rows.size() == 1);
  return rows[0];
}

void check_failure(const json& row, const char* status, const char* stage,
                   const std::string& message) {
  CAPTURE(row.dump());
  CHECK(row["status"] == status);
  CHECK(row["stage"] == stage);
  CHECK(row["message"].get<std::string>().find(message) != std::string::npos);
}

/// Nothing of a process that ends in between.
std::string line_of(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// Processes of that name that live.
int alive(const std::string& name) {
  int count = 0;
  std::error_code error;
  for (const auto& process : fs::directory_iterator("/proc", error)) {
    if (line_of(process.path() / "comm") != name) continue;
    const std::string state = line_of(process.path() / "stat");
    count += !state.empty() && state.find(") Z ") == state.npos;
  }
  return count;
}

int alive_after_a_moment(const std::string& name) {
  for (int turn = 0; turn < 200 && alive(name) > 0; ++turn)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return alive(name);
}

const char* const kBoth[] = {"--confine off", "--confine auto"};

}  // namespace

TEST_CASE("forged records are not believed") {
  for (const char* how : kBoth) {
    const Bench bench;
    check_failure(failure(bench, "forges_scores", how), "invalid_output", "score: score",
                  "the plugin sent what is no message of project: score");
    check_failure(failure(bench, "forges_done", how), "invalid_output", "explain: fit",
                  "left no finished artifact");
    check_failure(failure(bench, "score_forged", how, {.kind = "metric"}), "invalid_output",
                  "score: score", "score surf_mae is not in its metadata");
    const auto rows = json::parse(
        bench("query \"SELECT count(*) AS n FROM score WHERE metric = 'surf_mae' AND value = 0\" "
              "--format json")
            .out);
    CHECK(rows[0]["n"] == 0);
  }
}

TEST_CASE("no process group and no session is out of a limit's reach") {
  for (const char* how : kBoth) {
    const Bench bench;
    const auto start = std::chrono::steady_clock::now();
    check_failure(failure(bench, "leaves_group", how, {.seconds = kSecondsToHang}), "timeout",
                  "explain: fit", "still running after");
    if (!kSanitized) CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(12));
  }
}

TEST_CASE("memory counts wherever it is held") {
  const Bench bench;
  check_failure(failure(bench, "shared_memory", ""), "out_of_memory", "explain: fit",
                "used more than limits.memory = " + kMemory);
  check_failure(failure(bench, "memory_of_children", "--confine off"), "out_of_memory",
                "explain: fit", "used more than limits.memory = " + kMemory);
  for (const json& attempt :
       json::parse(bench("query \"SELECT peak_memory FROM attempt WHERE status "
                         "= 'out_of_memory'\" --format json")
                       .out))
    CHECK(attempt["peak_memory"] > 100 << 20);  // of all processes, the killed ones too
}

TEST_CASE("a plugin has its share of the threads that the user may have") {
  const Bench bench;
  // Root's are not limited, but how many he may have is known.
  const std::string under = ::geteuid() == 0 ? "prlimit --nproc=150" : "";
  for (const char* how : kBoth)
    check_failure(failure(bench, "threads_without_end", how, {.under = under}), "failed",
                  "explain: fit", "threads and processes at a time, which is its share");
}

TEST_CASE("what cannot start a process or a thread waits until it can") {
  const Bench bench;
  const std::string user = "setpriv --reuid=54321 --regid=54321 --clear-groups prlimit --nproc=60 ";
  fs::permissions(bench.scratch.path(""), fs::perms::all);
  if (kSanitized || ::geteuid() != 0 || bench("metric", user + "env HOME=/tmp").code != 0) {
    MESSAGE("skipped: needs root, who can be another user, and no sanitizer's own threads");
    return;
  }
  // It takes all of them, but not its share, until its time is over.
  bench.run_file("crowded", kSubject + broken_entry("explainer", "threads_without_end") +
                                entry("explainer", "id = \"svd\"") +
                                entry("explainer", "id = \"kmeans\"") +
                                entry("explainer", "id = \"perfect\""));
  const Said said = bench("run crowded.toml --no-board -j 2", user + "env HOME=/tmp");
  CAPTURE(said.err);
  CHECK(said.code == 4);
  CHECK(said.err.find("waits until there are fewer") != std::string::npos);
  CHECK(said.err.find("3 ok, 1 failed") != std::string::npos);
  const auto rows = bench.failures("crowded");
  REQUIRE(rows.size() == 1);
  check_failure(rows[0], "timeout", "explain: fit", "still running after");
}

TEST_CASE("what is written is bounded") {
  const Bench bench;
  check_failure(failure(bench, "reports_without_end", ""), "invalid_output", "explain: fit",
                "the plugin sent a message without an end");
  check_failure(failure(bench, "logs_without_end", ""), "failed", "explain: fit",
                "MiB to standard output and standard error");
  check_failure(failure(bench, "huge_output", ""), "failed", "explain: fit", "File too large");
}

TEST_CASE("files count however they are made, and where they cannot be counted the work ends") {
  const Bench bench;
  const auto message = [&bench](const std::string& name, const std::string& under = "") {
    bench.scratch.write(name + ".toml",
                        "name = \"" + name +
                            "\"\nseeds = [0]\nmetrics = [\"surf\"]\n[limits]\nseconds = 300\n"
                            "cache = \"32 MiB\"\n" +
                            kSubject + broken_entry("explainer", name));
    CHECK(bench("run " + name + ".toml --no-board", under).code == 4);
    const auto rows = bench.failures(name);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0]["status"] == "failed");
    CHECK(rows[0]["stage"] == "explain: fit");
    const auto work = bench.scratch.path("cache/work");
    CHECK((!fs::exists(work) || fs::is_empty(work)));
    return rows[0]["message"].get<std::string>();
  };
  CHECK(message("small_files_without_end") == "wrote more than limits.cache = 32 MiB");
  CHECK(message("empty_files_without_end") ==
        "made more than 100000 files, so that limits.cache cannot be held");
  // A folder is closed to its owner; to root only without these two.
  const std::string as_owner =
      ::geteuid() != 0 ? "" : "setpriv --bounding-set -dac_override,-dac_read_search";
  CHECK(
      message("closed_folder", as_owner) ==
      "made a folder that cannot be read (Permission denied), so that limits.cache cannot be held");
  CHECK(message("deep_folders") ==
        "made a folder that cannot be read (File name too long), so that limits.cache cannot be "
        "held");
  const std::string beyond = message("space_beyond_end");
  if (beyond.find("no fallocate()") == beyond.npos)  // not every file system has it
    CHECK(beyond == "wrote more than limits.cache = 32 MiB");
}

TEST_CASE("what does not hear SIGTERM is killed, and its cell is still to be done") {
  const Bench bench;
  bench.scratch.write("deaf.toml", "name = \"deaf\"\nseeds = [0]\nmetrics = [\"surf\"]\n" +
                                       kSubject + broken_entry("explainer", "hang_in_fit"));
  const auto start = std::chrono::steady_clock::now();
  const std::string stopped = "timeout --preserve-status " + std::to_string(kSecondsToHang + 1);
  CHECK(bench("run deaf.toml --no-board", stopped).code == 75);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(40));
  CHECK(content_of(bench.scratch.path("err.txt")).find("stopped; the same command") !=
        std::string::npos);
  CHECK(bench.failures("deaf").empty());
}

TEST_CASE("what a plugin starts ends with its work") {
  const Bench bench;
  bench.run_file("orphans", kSubject + broken_entry("explainer", "leaves_children"));
  CHECK(bench("run orphans.toml --no-board --confine off").code == 0);
  CHECK(alive_after_a_moment("cono_orphan") == 0);
}

TEST_CASE("what is none of a plugin's business stays shut") {
  ::setenv("CONOSCOPE_TEST_TOKEN", "hunter2", 1);
  const Bench bench;
  bench.scratch.write("secret.txt", "secret");
  const auto home = bench.scratch.path("home/");
  fs::create_directories(home + ".ssh");
  bench.scratch.write("home/.ssh/id_rsa", "key");
  fs::copy_file(broken_plugin("curious"), home + "curious.so");
  const Start at_home{.file = home + "curious.so"};
  const auto message = failure(bench, "curious", "", at_home)["message"].get<std::string>();
  // Emptied: a file of its own.
  CHECK(message == "could: own_scratch emptying_while_reading own_file own_process");
  CHECK(content_of(bench.scratch.path("cache/quarantine.tsv")).empty());
  CHECK_FALSE(fs::exists(bench.scratch.path("cache/artifacts/forged")));
  // It could have: what holds without confinement is less.
  const auto open =
      failure(bench, "curious", "--confine off", at_home)["message"].get<std::string>();
  for (const char* what :
       {"secret",    "mode",         "times",          "mode_of_open_file", "emptying",
        "datagrams", "priority",     "scheduling",     "neighbours",        "key",
        "processes", "command_line", "shared_numbers", "by_number",         "name",
        "queue",     "version",      "lease",          "notices",           "one_attribute",
        "watch",     "handle",       "flush"})
    CHECK_MESSAGE(open.find(what) != std::string::npos, open);
  CHECK(open.find("token") == std::string::npos);
}

TEST_CASE("where Landlock does not keep files from being emptied, no call empties one") {
  if (!core::can_confine()) return;
  const Bench bench;
  bench.scratch.write("secret.txt", "secret");
  const std::string library = preload(CONOSCOPE_TEST_OLD_LANDLOCK);
  const json failed = failure(bench, "curious", "",
                              {.under = "env ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD='" +
                                        library + "' CONOSCOPE_PRELOAD='" + library + "'"});
  CHECK(failed["message"] == "could: own_scratch own_file own_process");
  CHECK(content_of(bench.scratch.path("secret.txt")) == "secret");
  const Said said = bench("query \"SELECT text FROM environment\" --format json");
  CHECK(said.out.find("confinement: landlock 2, seccomp") != said.out.npos);
}

namespace {

/// A subject whose rows of the test split, and their factors, hold numbers that no other has, in
/// arrays that are large enough to be mapped: see seeks_test_rows.cc.
std::string marked_subject(const Bench& bench) {
  constexpr int kRows = 900, kWidth = 16, kFactors = 4;
  std::vector<float> activations, weight(2 * kWidth, 0.5f), bias(2, 0);
  std::vector<double> factors;
  std::vector<std::int64_t> train, test;
  for (int i = 0; i < kRows; ++i) {
    const bool trains = i % 3 != 0;
    (trains ? train : test).push_back(i);
    for (int j = 0; j < kWidth; ++j)
      activations.push_back(j < 4 ? (trains ? 4243.f : 5354.f) : static_cast<float>(i % (j + 1)));
    for (int j = 0; j < kFactors; ++j) factors.push_back(trains ? i % (j + 2) : 6465.0);
  }
  for (int j = 4; j < kWidth; ++j) weight[j] = static_cast<float>(j % 3 - 1);
  std::string params;
  const auto add = [&](const std::string& name, const std::string& bytes) {
    params += (params.empty() ? "" : ", ") + name + " = \"" +
              bench.scratch.write(name + ".npy", bytes) + "\"";
  };
  const auto rows = [](std::size_t n) { return "(" + std::to_string(n) + ",)"; };
  add("activations", npy_bytes<float>("<f4", "(900, 16)", activations));
  add("head_weight", npy_bytes<float>("<f4", "(2, 16)", weight));
  add("head_bias", npy_bytes<float>("<f4", "(2,)", bias));
  add("factors", npy_bytes<double>("<f8", "(900, 4)", factors));
  add("train_index", npy_bytes<std::int64_t>("<i8", rows(train.size()), train));
  add("test_index", npy_bytes<std::int64_t>("<i8", rows(test.size()), test));
  return entry("dataset", "id = \"precomputed\"\nparams = { " + params + " }") +
         entry("model", "id = \"precomputed\"");
}

}  // namespace

TEST_CASE("an explainer is given its training rows, and finds no others") {
  if (!core::can_confine()) return;
  const Bench bench;
  bench.run_file("confined", marked_subject(bench) + broken_entry("explainer", "seeks_test_rows"),
                 60);
  const Said said = bench("run confined.toml --no-board --confine require");
  CAPTURE(said.err);
  CHECK(said.code == 0);
  CHECK(bench.failures("confined").empty());
  // It would have found files; but not in its memory, where there are the training rows alone.
  const Bench other;
  const auto open = failure(other, "seeks_test_rows", "--confine off",
                            {.seconds = 60, .subject = marked_subject(other)})["message"]
                        .get<std::string>();
  CHECK(open.starts_with("fit found: "));
  CHECK(open.ends_with(".npy"));
}

TEST_CASE("a plugin in quarantine does not run from a cached explanation either") {
  const Bench bench;
  const auto cell = kSubject + entry("explainer", "id = \"perfect\"");
  bench.run_file("first", cell);
  CHECK(bench("run first.toml --no-board").code == 0);
  const auto plugins = json::parse(
      bench("query \"SELECT sha256 FROM plugin WHERE id = 'perfect'\" --format json").out);
  REQUIRE(plugins.size() == 1);
  bench.scratch.write("cache/quarantine.tsv",
                      plugins[0]["sha256"].get<std::string>() + "\tit crashed\n");
  bench.scratch.write(
      "second.toml", "name = \"second\"\nseeds = [0]\nmetrics = [\"effective_concepts\"]\n" + cell);
  CHECK(bench("run second.toml --no-board").code == 4);
  const auto rows = bench.failures("second");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["message"].get<std::string>().find("in quarantine: it crashed") !=
        std::string::npos);
}

}  // namespace conoscope::testing
