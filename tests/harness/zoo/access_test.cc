// SPDX-License-Identifier: Apache-2.0
// What --confine promises, what plugins may ask for beyond it, and what is recorded of either.

#include <doctest/doctest.h>
#include <sys/syscall.h>

#include <cerrno>
#include <filesystem>

#include "harness/core/processes/confinement.h"
#include "tests/harness/zoo/bench.h"

namespace conoscope::testing {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

bool skipped() {
  if (core::can_confine()) return false;
  MESSAGE("skipped: this kernel has no Landlock or no seccomp");
  return true;
}

/// Runs the command as on a kernel that answers this call with this error.
std::string without(long call, int error) {
  return "'" CONOSCOPE_TEST_REFUSED_CALL "' " + std::to_string(call) + " " + std::to_string(error);
}

/// The line of each environment that attempts were made in.
std::string confinement_recorded(const Bench& bench) {
  std::string out;
  const Said said = bench("query \"SELECT text FROM environment ORDER BY text\" --format json");
  REQUIRE(said.code == 0);
  for (const auto& row : json::parse(said.out)) {
    const auto text = row["text"].get<std::string>();
    const auto begin = text.find("confinement: ");
    REQUIRE(begin != text.npos);
    out += text.substr(begin, text.find('\n', begin) - begin) + "\n";
  }
  return out;
}

void perfect_run(const Bench& bench) {
  bench.run_file("perfect", kSubject + entry("explainer", "id = \"perfect\""));
}

void check_says(const std::string& text, const std::string& part) {
  CHECK_MESSAGE(text.find(part) != text.npos, "wanted: ", part, " | ", text);
}

}  // namespace

TEST_CASE("how plugins were confined is recorded with every attempt") {
  if (skipped()) return;
  for (const char* how : {"auto", "require", "off"}) {
    const Bench bench;
    perfect_run(bench);
    CHECK(bench("run perfect.toml --no-board --confine=" + std::string(how)).code == 0);
    const auto wanted = how == std::string("off") ? "off" : core::confinement_offered();
    CHECK(confinement_recorded(bench) == "confinement: " + wanted + "\n");
  }
}

TEST_CASE("what was made without confinement is made again by a run that confines") {
  if (skipped()) return;
  const Bench bench;
  perfect_run(bench);
  const auto run = [&](const std::string& how, const std::string& under = "") {
    fs::remove(bench.scratch.path("store.db"));
    const Said said = bench("run perfect.toml --no-board --store store.db --confine=" + how, under);
    CHECK(said.code == 0);
    return said.err;
  };
  const auto made_again = [&] {
    const Said said = bench(
        "query \"SELECT text FROM event WHERE kind = 'unconfined_artifact'\" --format json --store "
        "store.db");
    REQUIRE(said.code == 0);
    return json::parse(said.out).size();
  };
  run("off");
  run("off");
  CHECK(made_again() == 0);
  const std::string said = run("require");
  const std::string line =
      ": not recorded as made under confinement; it is made again, as are others for the same "
      "reason\n";
  check_says(said, line);
  CHECK(said.find("not recorded", said.find(line) + line.size()) == said.npos);
  CHECK(made_again() == 3);  // dataset, model and explanation
  for (const char* how : {"auto", "off", "require"}) {
    run(how);
    CHECK(made_again() == 0);
  }
  // Landlock or seccomp alone is no confinement; on such a kernel every artifact is used.
  fs::remove_all(bench.scratch.path("cache"));
  const std::string no_landlock = without(SYS_landlock_create_ruleset, EOPNOTSUPP);
  run("auto", no_landlock);
  run("auto", no_landlock);
  CHECK(made_again() == 0);
  run("auto");
  CHECK(made_again() == 3);
}

TEST_CASE("--confine=require refuses to start on a kernel that lacks something") {
  if (skipped()) return;
  const Bench bench;
  perfect_run(bench);
  const auto no_landlock = without(SYS_landlock_create_ruleset, ENOSYS);
  const auto no_seccomp = without(SYS_seccomp, ENOSYS);
  const Said first = bench("run perfect.toml --confine=require", no_landlock);
  CHECK(first.code == 2);
  check_says(first.err,
             "--confine=require: of Landlock and seccomp this kernel offers seccomp; "
             "--confine=auto does without what is missing");
  const Said second = bench("run perfect.toml --confine=require", no_seccomp);
  CHECK(second.code == 2);
  check_says(second.err, "this kernel offers landlock ");
  CHECK_FALSE(fs::exists(bench.scratch.path("conoscope.db")));  // no store was made
  for (const char* command : {"plugin check perfect", "dataset info digits"}) {
    const Said said = bench(std::string(command) + " --confine=require", no_landlock);
    CAPTURE(command);
    CHECK(said.code == 2);
    check_says(said.err, "--confine=require: ");
  }
  // What is there is used all the same where nothing is insisted on, and only that is recorded.
  CHECK(bench("run perfect.toml --no-board", no_landlock).code == 0);
  CHECK(confinement_recorded(bench) == "confinement: seccomp\n");
}

TEST_CASE("a kernel that offers confinement and then refuses it fails the job") {
  if (skipped()) return;
  const Bench bench;
  perfect_run(bench);
  CHECK(bench("run perfect.toml --no-board", without(SYS_landlock_restrict_self, E2BIG)).code == 4);
  const auto rows = bench.failures("perfect");
  REQUIRE(rows.size() == 1);
  check_says(rows[0]["message"],
             "the plugin cannot be confined: landlock_restrict_self: Argument list too long");
}

TEST_CASE("--confine takes three words") {
  const Bench bench;
  perfect_run(bench);
  const Said said = bench("run perfect.toml --confine=on");
  CHECK(said.code == 2);
  check_says(said.err, "--confine=on: expected auto, require or off");
}

TEST_CASE("what a plugin asks for is shown, refused until it is granted, and asked for once") {
  if (skipped()) return;
  const Bench bench;
  const std::string file = bench.scratch.path("copy.so");
  fs::copy_file(broken_plugin("wants_network"), file);
  const Said info = bench("plugin info '" + file + "' --format csv");
  check_says(info.out, "access,network\n");
  bench.run_file("asks", kSubject + entry("explainer", "file = \"" + file + "\"") +
                             broken_entry("explainer", "wants_processes"));

  const Said refused = bench("run asks.toml --no-board");
  CHECK(refused.code == 3);
  check_says(refused.err, "explainer wants_network (" + file +
                              ") asks for access: network (sockets, name lookup); --grant "
                              "wants_network allows it, once for this file");
  check_says(refused.err,
             "asks for access: processes (starting other programs); --grant "
             "wants_processes allows it");  // both at once
  CHECK(bench("run asks.toml --no-board --grant wants_network --grant wants_proceses").code == 3);
  CHECK(json::parse(
            bench("query \"SELECT count(*) AS n FROM attempt\" --format json").out)[0]["n"] == 0);

  // Each gets what it has asked for and nothing else; the first grant is remembered.
  const Said granted = bench("run asks.toml --no-board --grant wants_processes");
  CHECK(granted.code == 4);
  std::string got;
  for (const auto& row : bench.failures("asks"))
    got += row["explainer"].get<std::string>() + " " + row["message"].get<std::string>() + "\n";
  CHECK(got == "wants_network got: network\nwants_processes got: processes\n");
  CHECK(bench("run asks.toml --no-board").code == 4);

  // Another file of the same id is another plugin.
  std::ofstream(file, std::ios::app) << "changed";
  const Said changed = bench("run asks.toml --no-board");
  CHECK(changed.code == 3);
  check_says(changed.err, "asks for access: network");
  CHECK(changed.err.find("wants_processes") == changed.err.npos);
  CHECK(bench("plugin check '" + file + "'").code == 3);
  // Where nothing is confined there is nothing to ask for.
  CHECK(bench("run asks.toml --no-board --confine=off").code == 4);
}

TEST_CASE("measure asks for access as run does") {
  if (skipped()) return;
  const Bench bench;
  const std::string line =
      "measure '" CONOSCOPE_TEST_DIGITS "' --explain '" + broken_plugin("wants_network") + "'";
  const Said refused = bench(line);
  CHECK(refused.code == 3);
  check_says(refused.err, "asks for access: network");
  const Said granted = bench(line + " --grant wants_network");
  CHECK(granted.code == 4);
  check_says(granted.out + granted.err, "got: network");
}

TEST_CASE("debug asks for access, for a plugin that judges as well") {
  if (skipped()) return;
  const Bench bench;
  bench.run_file("judged", kSubject + entry("explainer", "id = \"perfect\"") +
                               broken_entry("metric", "metric_wants_network"));
  const Said cells = bench("plan judged.toml --cells --format json");
  REQUIRE(cells.code == 0);
  const std::string line =
      "debug " + json::parse(cells.out)[0]["cell"].get<std::string>() + " judged.toml";
  const Said refused = bench(line);
  CHECK(refused.code == 3);
  check_says(refused.err, "metric metric_wants_network (");
  check_says(refused.err, "asks for access: network");
  CHECK(bench(line + " --grant metric_wants_network").code == 0);
}

TEST_CASE("a link in the place of the granted access is not written through") {
  if (skipped()) return;
  const Bench bench;
  const auto target = bench.scratch.write("target.txt", "somebody's");
  fs::create_directories(bench.scratch.path("cache"));
  fs::create_symlink(target, bench.scratch.path("cache/access.tsv"));
  bench.run_file("asks", kSubject + broken_entry("explainer", "wants_network"));
  const Said said = bench("run asks.toml --no-board --grant wants_network");
  CHECK(said.code == 4);
  check_says(said.err, "the next run will ask for access again");
  CHECK(content_of(target) == "somebody's");
}

}  // namespace conoscope::testing
