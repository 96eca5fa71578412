// SPDX-License-Identifier: Apache-2.0
#include "harness/core/processes/process.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "tests/support/content_of.h"
#include "tests/support/scratch.h"
#include "tests/support/throws.h"

using namespace conoscope::core;
using conoscope::testing::Scratch;
using namespace std::chrono_literals;

namespace {

struct Shell {
  Scratch scratch;
  ChildProcess child;

  explicit Shell(const std::string& script,
                 const std::vector<std::string>& environment = {"PATH=/usr/bin:/bin"})
      : child({"/bin/sh", "-c", script}, {scratch.path("output.txt"), scratch.path("output.txt")},
              environment) {}

  Exit wait() {
    for (int turn = 0; turn < 2000; ++turn) {
      for (auto& line : child.read_lines()) lines.push_back(std::move(line));
      if (const auto exit = child.poll_exit()) {
        for (auto& line : child.read_lines()) lines.push_back(std::move(line));
        return *exit;
      }
      std::this_thread::sleep_for(5ms);
    }
    FAIL("the process did not end");
    return {};
  }

  std::string output() const { return conoscope::testing::content_of(scratch.path("output.txt")); }

  std::vector<std::string> lines;
};

bool alive(pid_t pid) { return ::kill(pid, 0) == 0; }

/// A killed process whose parent is gone is waited for by init, which takes a moment.
bool gone(pid_t pid) {
  for (int turn = 0; turn < 400 && alive(pid); ++turn) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(stat, text);
    if (text.find(") Z ") != text.npos) return true;
    std::this_thread::sleep_for(5ms);
  }
  return !alive(pid);
}

}  // namespace

TEST_CASE("the exit code, the output and the report lines come back") {
  Shell shell("echo out; echo err >&2; printf 'one\\ntwo\\tx\\nrest' >&3; exit 7");
  const Exit exit = shell.wait();
  CHECK(exit.code == 7);
  CHECK_FALSE(exit.signal.has_value());
  CHECK(exit.peak_memory > 100000);
  CHECK(shell.output() == "out\nerr\n");
  CHECK(shell.lines == std::vector<std::string>{"one", "two\tx"});  // complete lines only
  CHECK(shell.child.poll_exit()->code == 7);                        // again, the same
}

TEST_CASE("a signal is told from an exit") {
  Shell shell("kill -SEGV $$");
  const Exit exit = shell.wait();
  CHECK_FALSE(exit.code.has_value());
  CHECK(exit.signal == SIGSEGV);
  CHECK(signal_text(SIGSEGV) == "SIGSEGV, Segmentation fault");
  CHECK(signal_text(SIGKILL) == "SIGKILL, Killed");
}

TEST_CASE("a line arrives before the process ends") {
  Shell shell("echo ready >&3; sleep 60");
  std::vector<std::string> lines;
  for (int turn = 0; turn < 2000 && lines.empty(); ++turn) {
    lines = shell.child.read_lines();
    std::this_thread::sleep_for(5ms);
  }
  CHECK(lines == std::vector<std::string>{"ready"});
  CHECK_FALSE(shell.child.poll_exit().has_value());
  CHECK_FALSE(shell.child.closed());
  CHECK(shell.child.memory() > 0);
  shell.child.kill(SIGTERM);
  CHECK(shell.wait().signal == SIGTERM);
}

TEST_CASE("many lines in one go are split, however the pipe cuts them") {
  Shell shell(
      "i=0; while [ $i -lt 3000 ]; do echo \"part name $i 0x1.8p+1\"; i=$((i+1)); done >&3");
  shell.wait();
  REQUIRE(shell.lines.size() == 3000);
  for (int i = 0; i < 3000; ++i)
    CHECK(shell.lines[static_cast<std::size_t>(i)] ==
          "part name " + std::to_string(i) + " 0x1.8p+1");
}

TEST_CASE("what the child itself has started goes with it") {
  pid_t grandchild = 0;
  const auto started = [](Shell& shell) {
    for (int turn = 0; turn < 2000; ++turn) {
      for (const auto& line : shell.child.read_lines()) return std::atoi(line.c_str());
      std::this_thread::sleep_for(5ms);
    }
    return 0;
  };
  SUBCASE("when it is killed") {
    Shell shell("sleep 300 & echo $! >&3; wait");
    grandchild = started(shell);
    shell.child.kill(SIGKILL);
    CHECK(shell.wait().signal == SIGKILL);
  }
  SUBCASE("when it has ended by itself") {
    Shell shell("sleep 300 & echo $! >&3; exit 0");
    grandchild = started(shell);
    CHECK(shell.wait().code == 0);  // although the grandchild still holds the pipe
  }
  SUBCASE("when nobody wants it any more") {
    Shell shell("sleep 300 & echo $! >&3; wait");
    grandchild = started(shell);
  }
  REQUIRE(grandchild > 1);
  CHECK(gone(grandchild));
}

TEST_CASE("what has moved to a session of its own is below its parent still") {
  Shell shell("setsid sleep 300 & echo $! >&3; wait");
  pid_t below = 0;
  for (int turn = 0; turn < 2000 && below == 0; ++turn) {
    for (const auto& line : shell.child.read_lines()) below = std::atoi(line.c_str());
    std::this_thread::sleep_for(5ms);
  }
  REQUIRE(below > 1);
  CHECK(shell.child.memory() > 0);
  shell.child.kill(SIGKILL);
  CHECK(shell.wait().signal == SIGKILL);
  CHECK(gone(below));
}

TEST_CASE("a line without an end is not collected for ever") {
  Shell shell("exec cat /dev/zero >&3");
  for (int turn = 0; turn < 4000 && !shell.child.flooded(); ++turn) {
    CHECK(shell.child.read_lines().empty());
    std::this_thread::sleep_for(1ms);
  }
  CHECK(shell.child.flooded());
  CHECK(shell.child.closed());
}

TEST_CASE("once it has ended nothing is signalled any more: its number may be another's by now") {
  Shell shell("exit 0");
  shell.wait();
  CHECK_FALSE(alive(shell.child.pid()));
  shell.child.kill(SIGKILL);  // must find nobody, and is not even sent
  CHECK(shell.child.memory() == 0);
}

TEST_CASE("the environment is what is given, and nothing else") {
  ::setenv("CONOSCOPE_TEST_SECRET", "hunter2", 1);
  Shell shell("echo $CONOSCOPE_TEST_SECRET $CONOSCOPE_TEST", {"CONOSCOPE_TEST=new value"});
  shell.wait();
  CHECK(shell.output() == "new value\n");
}

TEST_CASE("it has no input, and none of this process's files but its report pipe") {
  const int any = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int secret = ::fcntl(any, F_DUPFD, 200);  // not closed on exec
  Shell shell("cat; test -e /dev/fd/3 && echo report; test -e /dev/fd/" + std::to_string(secret) +
              " || echo nothing else");
  CHECK(shell.wait().code == 0);
  ::close(any);
  ::close(secret);
  CHECK(shell.output() == "report\nnothing else\n");
}

TEST_CASE("it gets signals that this process has blocked") {
  sigset_t block, before;
  sigemptyset(&block);
  sigaddset(&block, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &block, &before);
  Shell shell("sleep 60");
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  shell.child.kill(SIGTERM);
  CHECK(shell.wait().signal == SIGTERM);
}

TEST_CASE("what cannot be started is said with its name, and leaves no descriptor behind") {
  const Scratch scratch;
  const auto open_files = [] {
    int count = 0;
    for (int fd = 0; fd < 256; ++fd) count += ::fcntl(fd, F_GETFD) != -1 ? 1 : 0;
    return count;
  };
  const int before = open_files();
  const OutputFiles good{scratch.path("o"), scratch.path("e")};
  const OutputFiles bad{scratch.path("no/folder/o"), scratch.path("e")};
  CHECK_THROWS_SAYING(ChildProcess({"/no/such/program"}, good, std::vector<std::string>{}),
                      std::runtime_error, "/no/such/program: cannot be started: No such file");
  CHECK_THROWS_SAYING(ChildProcess({"/bin/true"}, bad, std::vector<std::string>{}),
                      std::runtime_error, "/bin/true: cannot be started");
  CHECK(open_files() == before);
}

TEST_CASE("the tail of a file is whole lines of text") {
  const Scratch scratch;
  const auto tail = [&](const std::string& content, std::size_t bytes) {
    return tail_of(scratch.write("f", content), bytes);
  };
  CHECK(tail("one\ntwo\nthree\n", 100) == "one\ntwo\nthree\n");
  CHECK(tail("one\ntwo\nthree\n", 10) == "three\n");
  CHECK(tail("one\ntwo\nthree\n", 11) == "two\nthree\n");
  CHECK(tail(std::string(50, 'x'), 10) == std::string(10, 'x'));  // one endless line
  CHECK(tail("", 10) == "");
  CHECK(tail("bell\a, escape\x1b[31m\tand tab\n", 100) == "bell , escape [31m\tand tab\n");
  CHECK(tail_of(scratch.path("none"), 10) == "");
  // The store holds UTF-8: bytes that are none become question marks, the rest stays.
  CHECK(tail("sch\xc3\xb6n \xe2\x82\xac \xf0\x9f\x98\x80\n", 100) ==
        "sch\xc3\xb6n \xe2\x82\xac \xf0\x9f\x98\x80\n");
  CHECK(tail("sch\xf6n \xff\xfe \xe2\x82 \xc0\x80 \xed\xa0\x80\n", 100) == "sch?n ?? ?? ?? ???\n");
  CHECK(tail("cut \xe2\x82", 100) == "cut ??");
}
