// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and a batch system's SIGTERM end a run in order; a second one ends it at once.

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "tests/harness/app/workspace.h"
#include "tests/support/capture_binding.h"

using namespace conoscope::testing;

TEST_CASE("an interrupted run keeps what it has and continues") {
  const Workspace reference;
  const auto file = reference.write("run.toml", whole_run());
  reference.run({"run", file, "--no-board", "-j", "2"});
  const std::string wanted = reference.exported();
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 75}}) {
    CAPTURE_BINDING(signal);
    const Workspace here;
    Process run = here.conoscope({"run", file, "-j", "2"}).start();
    REQUIRE(run.wait_for_err("\n3/", 60));
    run.send(signal);
    const Ended ended = run.wait(30);
    CHECK(ended.signal == 0);
    CHECK(ended.code == code);
    CHECK(ended.out.empty());  // no board of half a run
    CHECK_SAYS(ended.err, "stopping: waiting for");
    CHECK_SAYS(ended.err, "the same command continues");
    CHECK(processes_left(here.cache(), 5).empty());
    const auto saved = here.count("attempt");
    CHECK(saved >= 3);
    CHECK(saved < kWholeRunCells);
    CHECK(here.query("SELECT count(*) AS n FROM attempt WHERE status <> 'ok'")[0]["n"] == 0);

    here.run({"run", file, "--no-board"});
    CHECK(here.count("attempt") == kWholeRunCells);
    CHECK(here.exported() == wanted);
  }
}

namespace {

const std::string kLongRun = digits_run("metrics = [\"surf_mae\"]", {"perfect", "kmeans"}) +
                             "params = { k = 50, n_init = 1000000 }  # hours\n";

/// Waits until the first cell is done and the job of hours is at work.
void wait_for_long_job(const Workspace& here, Process& run) {
  REQUIRE(run.wait_for_err("1/2 ok", 60));
  // Between two jobs no worker runs; the signal is for the long one.
  while (processes_with(here.cache()).empty()) REQUIRE(run.running());
}

}  // namespace

TEST_CASE("Ctrl-C waits for the job; the second one stops at once") {
  const Workspace here;
  const auto file = here.write("run.toml", kLongRun);
  Process run = here.conoscope({"run", file, "-j", "1"}).start();
  wait_for_long_job(here, run);
  run.send(SIGINT);
  REQUIRE(run.wait_for_err("stopping: waiting for 1 running job(s)", 60));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  CHECK(run.running());
  CHECK_FALSE(processes_with(here.cache()).empty());
  run.send(SIGINT);
  CHECK(run.wait(20).code == 130);
  CHECK(processes_left(here.cache(), 5).empty());
  CHECK(here.count("attempt") == 1);
  CHECK_SAYS(here.run({"run", file, "--only", "explainer=perfect", "--no-board"}).err,
             "2 cells, 1 done, 0 to do now");
}

TEST_CASE("SIGTERM reaches the job as cancelled(), and what it interrupts has not failed") {
  const Workspace here;
  const auto file = here.write("run.toml", kLongRun);
  Process run = here.conoscope({"run", file, "-j", "1"}).start();
  wait_for_long_job(here, run);
  run.send(SIGTERM);
  const Ended ended = run.wait(8);  // less than the grace period: it was not killed
  CHECK(ended.code == 75);
  CHECK(processes_left(here.cache(), 5).empty());
  CHECK(here.count("attempt") == 1);
}

TEST_CASE("a worker that is stopped together with its run has not failed") {
  const Workspace here;
  const auto file = here.write("run.toml", kLongRun);
  Process run = here.conoscope({"run", file, "-j", "1"}).start();
  wait_for_long_job(here, run);
  run.send(SIGTERM);  // as a batch system does it, to every process of the job
  for (const pid_t process : processes_with(here.cache())) ::kill(process, SIGTERM);
  CHECK(run.wait(8).code == 75);
  CHECK(here.count("attempt") == 1);
}

namespace {

/// SQLite's own lock on a store, held against every other process while this lives.
class LockedStore {
 public:
  explicit LockedStore(const std::string& file) : fd_(::open(file.c_str(), O_RDWR | O_CLOEXEC)) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_start = 0x40000000;  // where SQLite keeps its lock bytes: 512 of them
    lock.l_len = 512;
    REQUIRE(::fcntl(fd_, F_SETLK, &lock) == 0);
  }
  ~LockedStore() { ::close(fd_); }
  LockedStore(const LockedStore&) = delete;
  LockedStore& operator=(const LockedStore&) = delete;

 private:
  int fd_;
};

bool opened(pid_t process, const std::string& file) {
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/fd", error))
    if (std::filesystem::read_symlink(entry.path(), error) == file) return true;
  return false;
}

}  // namespace

TEST_CASE("before the first job a signal ends the command at once, with the same codes") {
  const Workspace here;
  const auto file = here.write("run.toml", digits_run("metrics = [\"surf_mae\"]", {"perfect"}));
  here.run({"run", file, "--no-board"});
  for (const auto& [signal, code] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 75}}) {
    CAPTURE_BINDING(signal);
    const LockedStore locked(here.store());
    Process run = here.conoscope({"run", file}).start();
    bool waits = false;
    for (int turn = 0; turn < 2000 && !waits; ++turn) {
      for (const pid_t process : processes_with(file))
        waits = waits || opened(process, here.store());
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    REQUIRE(waits);
    run.send(signal);
    const Ended ended = run.wait(20);
    CHECK(ended.signal == 0);
    CHECK(ended.code == code);
    CHECK_SAYS(ended.err, "stopped; the same command continues");
  }
}
