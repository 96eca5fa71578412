// SPDX-License-Identifier: Apache-2.0
// `kill -9` loses at most what was in flight, and the same command continues.

#include <signal.h>
#include <sqlite3.h>

#include <random>
#include <thread>

#include "tests/harness/app/workspace.h"

using namespace conoscope::testing;

namespace {

std::string integrity(const std::string& store) {
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open_v2(store.c_str(), &database, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
  std::string answer;
  const auto take = [](void* out, int, char** values, char**) {
    *static_cast<std::string*>(out) += values[0];
    return 0;
  };
  sqlite3_exec(database, "PRAGMA integrity_check", take, &answer, nullptr);
  sqlite3_close(database);
  return answer;
}

}  // namespace

TEST_CASE("killed at any moment and continued, a run ends with the same bytes") {
  const Workspace reference;
  const auto file = reference.write("run.toml", whole_run());
  const Ended whole = reference.run({"run", file, "--no-board", "-j", "2"});
  const std::string wanted = reference.exported();
  REQUIRE(reference.count("attempt") == kWholeRunCells);

  constexpr int kKills = kSanitized ? 3 : 20;
  std::mt19937_64 random(20250410);  // the moments are the same in every run of this test
  for (int i = 0; i < kKills; ++i) {
    // One moment in each of equal parts of the run, so that all of it is covered.
    const double share = (i + static_cast<double>(random() >> 11) * 0x1p-53) / kKills;
    CAPTURE(share);
    // A run that was faster this time, and over before its moment, is started anew and killed
    // sooner.
    for (double moment = share * whole.seconds;; moment *= 0.7) {
      const Workspace here;
      Process run =
          here.conoscope({"run", file, "--no-board", "-j", std::to_string(1 + i % 2)}).start();
      std::this_thread::sleep_for(std::chrono::duration<double>(moment));
      if (run.running()) run.send(SIGKILL);
      const bool killed = run.wait(10).signal == SIGKILL;
      CHECK(processes_left(here.cache(), 5).empty());
      if (!killed) continue;

      here.run({"run", file, "--no-board", "-j", "2"});
      CHECK(here.exported() == wanted);
      // What was saved before is not done again.
      CHECK(here.count("attempt") == kWholeRunCells);
      CHECK(integrity(here.store()) == "ok");
      CHECK(std::filesystem::is_empty(here.cache() + "/work"));  // of the killed one too
      break;
    }
  }
}

TEST_CASE("a run that is killed again and again gets to its end") {
  const Workspace here;
  const auto file = here.write("run.toml", whole_run());
  int kills = 0;
  for (bool ended = false; !ended; ++kills) {
    REQUIRE(kills < 10 * kWholeRunCells);
    Process run = here.conoscope({"run", file, "--no-board"}).start();
    // Dies as soon as it has saved one more cell.
    ended = !run.wait_for_err("1/", 60) || !run.wait_for_err(" ok ", 60);
    if (run.running()) run.send(SIGKILL);
    ended = run.wait(20).code == 0;
  }
  CHECK(kills > 5);
  CHECK(here.count("attempt") == kWholeRunCells);
  const Workspace reference;
  reference.run({"run", file, "--no-board", "-j", "2"});
  CHECK(here.exported() == reference.exported());
}

TEST_CASE("no worker outlives its supervisor, however young it is") {
  const Workspace here;
  const auto file =
      here.write("run.toml", digits_run("metrics = [\"surf_mae\"]", {"perfect", "kmeans"}) +
                                 "params = { k = 50, n_init = 1000000 }  # hours\n");
  here.run({"run", file, "--no-board", "--only", "explainer=perfect"});  // kmeans is next at once
  for (int i = 0; i < (kSanitized ? 5 : 20); ++i) {
    CAPTURE(i);
    Process run = here.conoscope({"run", file}).start();
    while (processes_with(here.cache()).empty()) REQUIRE(run.running());
    run.send(SIGKILL);
    run.wait(20);
    const auto left = processes_left(here.cache(), 5);
    CHECK(left.empty());
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
  }
}

TEST_CASE("a finished run is a no-op") {
  const Workspace here;
  const auto file = here.write("run.toml", whole_run());
  here.run({"run", file, "--no-board", "-j", "2"});
  const std::string wanted = here.exported();
  const Ended again = here.run({"run", file});
  MESSAGE("a finished run takes ", again.seconds, " s");
  CHECK_SAYS(again.err, ", 0 to do now");
  CHECK_SAYS(again.out, "perfect");  // the board is printed all the same
  CHECK(here.count("attempt") == kWholeRunCells);
  CHECK(here.exported() == wanted);
}
