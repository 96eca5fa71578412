#include "harness/core/processes/starter.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "tests/support/content_of.h"
#include "tests/support/scratch.h"
#include "tests/support/throws.h"

using namespace conoscope::core;
using conoscope::testing::content_of;
using conoscope::testing::Scratch;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

const std::string kCommand = CONOSCOPE_TEST_COMMAND;
const std::vector<std::string> kEnvironment = {"PATH=/usr/bin:/bin", "OMP_NUM_THREADS=7"};

/// Workers whose job file is a pipe: each waits until somebody writes to it.
struct Bench {
  Scratch scratch;
  std::string job = scratch.path("job.toml");
  WorkerStart wanted{job,
                     {scratch.path("stdout.txt"), scratch.path("stderr.txt")},
                     {"HOME=" + scratch.path("home")}};
  Starter starter{kCommand, kEnvironment};

  Bench() { ::mkfifo(job.c_str(), 0600); }
};

/// Fields of /proc/<pid>/stat from the state on.
[[maybe_unused]] std::vector<std::string> state_of(pid_t pid) {
  const std::string text = content_of("/proc/" + std::to_string(pid) + "/stat");
  std::istringstream in(text.substr(text.rfind(')') + 2));
  return {std::istream_iterator<std::string>(in), {}};
}

/// This process's starters: a worker that was forked just now still has the starter's arguments.
[[maybe_unused]] std::vector<pid_t> starters_but(pid_t worker) {
  std::vector<pid_t> out;
  for (const auto& entry : fs::directory_iterator("/proc"))
    if (const std::string line = content_of(entry.path() / "cmdline");
        line.find("--starter") != line.npos) {
      const pid_t pid = std::stoi(entry.path().filename());
      if (pid != worker && state_of(pid)[1] == std::to_string(::getpid())) out.push_back(pid);
    }
  return out;
}

bool eventually(const auto& holds) {
  for (int turn = 0; turn < 2000 && !holds(); ++turn) std::this_thread::sleep_for(5ms);
  return holds();
}

}  // namespace

#if defined(__SANITIZE_THREAD__)
TEST_CASE("with a thread of the sanitizer's in every process nothing is forked") {
  Bench bench;
  CHECK_FALSE(bench.starter.start(bench.wanted).has_value());
}
#else

TEST_CASE("a worker is this process's own child, in a session of its own, under its job's name") {
  Bench bench;
  const auto started = bench.starter.start(bench.wanted);
  REQUIRE(started.has_value());
  ChildProcess worker(*started);
  const std::string at = "/proc/" + std::to_string(worker.pid());
  // The whole command line, as if it had been started with it.
  const std::string line = kCommand + '\0' + "worker" + '\0' + bench.job + '\0';
  CHECK(eventually([&] { return content_of(at + "/cmdline").starts_with(line); }));
  const auto state = state_of(worker.pid());
  CHECK(state[1] == std::to_string(::getpid()));    // its parent
  CHECK(state[3] == std::to_string(worker.pid()));  // its session
  // Input, output, error, reports and the job that it waits for: nothing of the starter's.
  CHECK(eventually([&] {
    return std::distance(fs::directory_iterator(at + "/fd"), fs::directory_iterator()) == 4;
  }));
  CHECK(fs::read_symlink(at + "/fd/0") == "/dev/null");
  CHECK(fs::read_symlink(at + "/fd/1") == bench.wanted.output.standard_output);
  CHECK(fs::read_symlink(at + "/fd/2") == bench.wanted.output.standard_error);
  worker.kill(SIGKILL);
  CHECK(worker.wait().signal == SIGKILL);
}

TEST_CASE("each worker does its own job, and several at once") {
  Bench bench;
  const auto first = bench.starter.start(bench.wanted);
  bench.wanted.job = bench.scratch.write("other.toml", "this is no job\n");
  const auto second = bench.starter.start(bench.wanted);
  REQUIRE((first.has_value() && second.has_value()));
  ChildProcess waiting(*first), other(*second);
  CHECK(other.wait().code == 1);
  const auto lines = other.read_lines();
  CHECK(std::any_of(lines.begin(), lines.end(),
                    [](const std::string& line) { return line.starts_with("fault"); }));
  CHECK_FALSE(waiting.poll_exit().has_value());
}

TEST_CASE("workers end when the process that asked for them does, and so does the starter") {
  Scratch scratch;
  const std::string job = scratch.path("job.toml");
  ::mkfifo(job.c_str(), 0600);
  const pid_t asking = ::fork();
  if (asking == 0) {
    Starter starter(kCommand, kEnvironment);
    const auto worker = starter.start({job, {"/dev/null", "/dev/null"}, {}});
    std::ofstream(scratch.path("pid")) << (worker ? worker->pid : -1) << std::endl;
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  REQUIRE(::waitpid(asking, &status, 0) == asking);
  const int worker = std::stoi(content_of(scratch.path("pid")));
  REQUIRE(worker > 0);
  CHECK(eventually([&] {
    const std::string stat = content_of("/proc/" + std::to_string(worker) + "/stat");
    return stat.empty() || stat.find(") Z ") != stat.npos;
  }));
}

TEST_CASE("a starter that somebody has ended says that it is of no use") {
  Bench bench;
  const auto before = bench.starter.start(bench.wanted);
  REQUIRE(before.has_value());
  ChildProcess worker(*before);
  for (const pid_t pid : starters_but(before->pid)) ::kill(pid, SIGKILL);
  CHECK(eventually([&] {
    try {
      const auto again = bench.starter.start(bench.wanted);
      if (!again) return true;
      ChildProcess another(*again);
    } catch (const std::runtime_error&) {  // it was about to end
    }
    return false;
  }));
  CHECK_FALSE(worker.poll_exit().has_value());  // what it has forked lives on
}

TEST_CASE("a starter that somebody has stopped is given up, and does not keep its owner") {
  Bench bench;
  Starter starter(kCommand, kEnvironment, 200ms);
  const auto before = starter.start(bench.wanted);
  REQUIRE(before.has_value());
  ChildProcess worker(*before);
  for (const pid_t pid : starters_but(before->pid)) ::kill(pid, SIGSTOP);
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(starter.start(bench.wanted).has_value());
  CHECK(starter.able());
  CHECK(std::chrono::steady_clock::now() - start < 5s);
  CHECK_FALSE(worker.poll_exit().has_value());
}

TEST_CASE("what cannot be started says why, and the next one can") {
  Bench bench;
  WorkerStart wrong = bench.wanted;
  wrong.output.standard_error = "/no/such/folder/stderr.txt";
  CHECK_THROWS_SAYING(bench.starter.start(wrong), std::runtime_error, "/no/such/folder/stderr.txt",
                      "No such file");
  wrong.output.standard_output = "/no/such/folder/stdout.txt";
  CHECK_THROWS_SAYING(bench.starter.start(wrong), std::runtime_error, "/no/such/folder/stdout.txt",
                      "No such file");
  wrong = bench.wanted;
  wrong.environment.push_back("LONG=" + std::string(100'000, 'x'));
  CHECK_FALSE(bench.starter.start(wrong).has_value());
  const auto started = bench.starter.start(bench.wanted);
  REQUIRE(started.has_value());
  ChildProcess worker(*started);
}

TEST_CASE("a program that is none") {
  CHECK_THROWS_SAYING(Starter("/no/such/program", kEnvironment), std::runtime_error,
                      "/no/such/program");
}
#endif
