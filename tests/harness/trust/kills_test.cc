// SPDX-License-Identifier: Apache-2.0
// SIGKILL, as from an out-of-memory killer or a batch system, hits a worker or the supervisor at any
// moment: no plugin is blamed for it, and the same command ends with the same bytes.

#include <signal.h>

#include <random>
#include <thread>
#include <string>
#include <vector>

#include "tests/harness/trust/trials.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;

TEST_CASE("killed workers and supervisors: no quarantine, and the same bytes in the end") {
  const Workspace reference;
  const auto file = reference.write("run.toml", small_run());
  const Ended whole = reference.run({"run", file, "--no-board"});
  const std::string wanted = reference.exported();

  std::mt19937_64 random(20260914);
  const int count = trials(12);
  for (int i = 0; i < count; ++i) {
    const bool supervisor = i % 2 == 0;
    double moment = whole.seconds * static_cast<double>(random() >> 11) * 0x1p-53;
    CAPTURE(i);
    CAPTURE(moment);
    const Workspace here;
    // A run that was over before its moment is started anew and killed sooner.
    for (bool killed = false; !killed; moment *= 0.8) {
      for (const char* ending : {"", "-wal", "-shm"}) fs::remove(here.store() + ending);
      fs::remove_all(here.cache());
      Process run = here.conoscope({"run", file, "--no-board", "-j", "2"}).start();
      std::this_thread::sleep_for(std::chrono::duration<double>(moment));
      if (supervisor) {
        run.send(SIGKILL);
        killed = run.wait(60).signal == SIGKILL;
      } else {
        std::vector<pid_t> workers;
        while (workers.empty() && run.running()) workers = processes_with(here.cache());
        if (!workers.empty()) killed = ::kill(workers[random() % workers.size()], SIGKILL) == 0;
        CHECK(run.wait(60).signal == 0);
      }
    }
    CHECK(processes_left(here.cache(), 5).empty());
    here.run({"run", file, "--no-board"});
    CHECK(here.exported() == wanted);
    CHECK_FALSE(fs::exists(here.cache() + "/quarantine.tsv"));
    CHECK(fs::is_empty(here.cache() + "/work"));
  }
  MESSAGE("killed: ", count - count / 2, " supervisors, ", count / 2, " workers");
}
