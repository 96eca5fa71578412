// SIGKILL, as from an out-of-memory killer or a batch system, hits a worker or the supervisor at any
// moment: no plugin is blamed for it, and the same command ends with the same bytes.

#include <signal.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/harness/trust/trials.h"

using namespace conoscope::testing;
namespace fs = std::filesystem;

namespace {

/// What the supervisors of a run file fork workers from.
std::vector<pid_t> starters(const std::string& file) {
  std::vector<pid_t> out;
  const auto all = processes_with("--starter ");
  for (const pid_t supervisor : processes_with(file)) {
    const std::string number = std::to_string(supervisor);
    std::ifstream children("/proc/" + number + "/task/" + number + "/children");
    for (pid_t child = 0; children >> child;)
      if (std::find(all.begin(), all.end(), child) != all.end()) out.push_back(child);
  }
  return out;
}

}  // namespace

TEST_CASE("what workers are forked from is killed again and again, and the bytes are the same") {
  const Workspace reference;
  const auto file = reference.write("run.toml", small_run());
  reference.run({"run", file, "--no-board"});

  // How often one is caught is a matter of the machine's load; a run that was over too soon is
  // followed by another, from nothing.
  int killed = 0;
  for (bool replaced = false; !replaced;) {
    const Workspace here;
    Process run = here.conoscope({"run", file, "--no-board", "-j", "1"}).start();
    std::set<pid_t> ended;
    while (run.running()) {
      for (const pid_t starter : starters(file))
        if (::kill(starter, SIGKILL) == 0) ended.insert(starter);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    CHECK(run.wait(60).signal == 0);
    killed += static_cast<int>(ended.size());
    replaced = ended.size() > 1;
    here.run({"run", file, "--no-board"});  // a cell whose worker was just being started
    CHECK(here.exported() == reference.exported());
    CHECK_FALSE(fs::exists(here.cache() + "/quarantine.tsv"));
  }
  MESSAGE("killed: ", killed, " starters");
}

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
