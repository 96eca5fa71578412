// SPDX-License-Identifier: Apache-2.0
#include "tests/support/command.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "tests/support/content_of.h"
#include "tests/support/scratch.h"

extern char** environ;

namespace conoscope::testing {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

struct Process::State {
  pid_t pid = -1;
  bool ended = false;
  int status = 0;
  Clock::time_point started = Clock::now();
  double seconds = 0;
  Scratch scratch;  // out.txt and err.txt

  bool poll() {
    if (!ended && ::waitpid(pid, &status, WNOHANG) == pid) {
      ended = true;
      seconds = seconds_since(started);
    }
    return ended;
  }
};

Process::Process(std::unique_ptr<State> state) : state_(std::move(state)) {}
Process::Process(Process&&) noexcept = default;

Process::~Process() {
  if (!state_ || state_->poll()) return;
  send(SIGKILL);
  ::waitpid(state_->pid, &state_->status, 0);
}

bool Process::running() { return !state_->poll(); }

void Process::send(int signal) const { ::kill(state_->pid, signal); }

std::string Process::err() const { return content_of(state_->scratch.path("err.txt")); }

bool Process::wait_for_err(const std::string& text, double seconds) {
  const auto start = Clock::now();
  while (true) {
    const bool over = !running() || seconds_since(start) > seconds;
    if (err().find(text) != std::string::npos) return true;
    if (over) return false;
    nap();
  }
}

Ended Process::wait(double seconds) {
  const auto start = Clock::now();
  while (running()) {
    if (seconds_since(start) > seconds) {
      send(SIGKILL);
      throw std::runtime_error("still running after " + std::to_string(seconds) +
                               " s; stderr: " + err());
    }
    nap();
  }
  Ended ended;
  if (WIFEXITED(state_->status)) ended.code = WEXITSTATUS(state_->status);
  if (WIFSIGNALED(state_->status)) ended.signal = WTERMSIG(state_->status);
  ended.seconds = state_->seconds;
  ended.out = content_of(state_->scratch.path("out.txt"));
  ended.err = err();
  return ended;
}

Command::Command(std::vector<std::string> words) : words_(std::move(words)) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == text.npos || text.rfind("CONOSCOPE_", 0) == 0 || text.rfind("XDG_", 0) == 0)
      continue;
    environment_[text.substr(0, equals)] = text.substr(equals + 1);
  }
}

Command& Command::set(const std::string& name, const std::string& value) {
  environment_[name] = value;
  return *this;
}

Command& Command::obey_permissions() {
  obey_permissions_ = true;
  return *this;
}

Process Command::start() const {
  auto state = std::make_unique<Process::State>();
  const auto open_for = [&](const char* name) {
    return ::open(state->scratch.path(name).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  };
  const int in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out = open_for("out.txt"), err = open_for("err.txt");
  auto words = words_;
  std::vector<std::string> entries;
  for (const auto& [name, value] : environment_) entries.push_back(name + "=" + value);
  const auto argv = pointers(words), envp = pointers(entries);
  state->started = Clock::now();
  state->pid = ::fork();
  if (state->pid < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
  if (state->pid == 0) {
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    // Root without these two is an owner whom read-only files do stop.
    if (obey_permissions_ && ::geteuid() == 0 &&
        (::prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE) != 0 ||
         ::prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH) != 0))
      ::_exit(127);
    ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  for (const int fd : {in, out, err}) ::close(fd);
  return Process(std::move(state));
}

Ended Command::run(double seconds) const { return start().wait(seconds); }

fs::path built_conoscope() { return CONOSCOPE_TEST_COMMAND; }

std::vector<pid_t> processes_with(const std::string& text) {
  std::vector<pid_t> out;
  std::error_code error;
  for (fs::directory_iterator it("/proc", error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    const long pid = std::strtol(it->path().filename().c_str(), nullptr, 10);
    if (pid <= 0 || pid == ::getpid()) continue;
    try {
      if (content_of(it->path() / "cmdline").find(text) != std::string::npos)
        out.push_back(static_cast<pid_t>(pid));
    } catch (const std::ios_base::failure&) {
      // it ended between the listing and the reading
    }
  }
  return out;
}

std::vector<pid_t> processes_left(const std::string& text, double seconds) {
  const auto start = Clock::now();
  auto left = processes_with(text);
  for (; !left.empty() && seconds_since(start) < seconds; left = processes_with(text)) nap();
  return left;
}

namespace {

bool mount_tmpfs(const fs::path& folder, std::size_t bytes) {
  return ::mount("none", folder.c_str(), "tmpfs", 0, ("size=" + std::to_string(bytes)).c_str()) ==
         0;
}

/// A user namespace in which this process may mount, where the machine grants one.
bool enter_namespace() {
  const auto user = ::getuid();
  const auto group = ::getgid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
  std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
  return true;
}

}  // namespace

SmallDisk::SmallDisk(const fs::path& folder, std::size_t bytes) : folder_(folder) {
  fs::create_directories(folder);
  if (mount_tmpfs(folder, bytes)) return;
  const int first = errno;
  if (!enter_namespace() || !mount_tmpfs(folder, bytes))
    refusal_ = std::string("no tmpfs can be mounted: ") + std::strerror(first);
}

SmallDisk::~SmallDisk() {
  if (refusal_.empty()) ::umount2(folder_.c_str(), MNT_DETACH);
}

void SmallDisk::fill_up_to(std::size_t bytes_left) const {
  struct statvfs info {};
  if (::statvfs(folder_.c_str(), &info) != 0) throw std::runtime_error("statvfs failed");
  const std::size_t room = info.f_bavail * info.f_frsize;
  const int fd = ::open((folder_ / "filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (room > bytes_left && ::posix_fallocate(fd, 0, static_cast<off_t>(room - bytes_left)) != 0)
    throw std::runtime_error("the disk cannot be filled");
  ::close(fd);
}

void SmallDisk::empty_again() const { fs::remove(folder_ / "filler"); }

}  // namespace conoscope::testing
