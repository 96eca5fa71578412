// SPDX-License-Identifier: Apache-2.0
#include "harness/core/processes/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "harness/core/processes/descendants.h"
#include "harness/core/processes/protocol.h"
#include "results/formats/utf8.h"

namespace conoscope::core {

pid_t spawn(const std::vector<std::string>& command, const OutputFiles& output,
            const std::vector<std::string>& environment, int report_end) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const bool own_session = !output.standard_output.empty();
  if (own_session) {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.standard_output.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0644);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, output.standard_error.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0644);
  }
  // When it happens to be the wanted number already, dup2 onto itself clears close-on-exec.
  posix_spawn_file_actions_adddup2(&actions, report_end, kReportFd);
  // Whoever started this process may have left files open that are not closed on exec.
  posix_spawn_file_actions_addclosefrom_np(&actions, kReportFd + 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, static_cast<short>(POSIX_SPAWN_SETSIGMASK |
                                                           (own_session ? POSIX_SPAWN_SETSID : 0)));

  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, command[0].c_str(), &actions, &attributes,
                                  exec_list(command).data(), exec_list(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0)
    throw std::system_error(error, std::generic_category(), command[0] + ": cannot be started");
  return pid;
}

ChildProcess::ChildProcess(const std::vector<std::string>& command, const OutputFiles& output,
                           const std::vector<std::string>& environment)
    : own_session_(!output.standard_output.empty()) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
  try {
    pid_ = spawn(command, output, environment, ends[1]);
  } catch (...) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw;
  }
  ::close(ends[1]);
  report_fd_ = ends[0];
  ::fcntl(report_fd_, F_SETFL, O_NONBLOCK);
}

ChildProcess::ChildProcess(StartedProcess started)
    : pid_(started.pid), report_fd_(started.report_fd) {
  ::fcntl(report_fd_, F_SETFL, O_NONBLOCK);
}

ChildProcess::ChildProcess(const std::function<void()>& body) : own_session_(false) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::runtime_error(std::string("socketpair: ") + std::strerror(errno));
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent || ::dup2(ends[1], kReportFd) != kReportFd) ::_exit(1);
    ::closefrom(kReportFd + 1);
    body();
    ::_exit(1);
  }
  const int error = errno;
  ::close(ends[1]);
  report_fd_ = ends[0];
  if (pid_ > 0) return;
  ::close(report_fd_);
  throw std::system_error(error, std::generic_category(), "fork");
}

ChildProcess::~ChildProcess() {
  if (!exit_) {
    kill(SIGKILL);
    // A process that is confined may not; those that it has forked end with it.
    const bool permitted = ::kill(pid_, 0) == 0;
    int status = 0;
    while (permitted && ::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  ::close(report_fd_);
}

Exit ChildProcess::wait() {
  siginfo_t ended{};
  while (true) {
    if (const auto exit = poll_exit()) return *exit;
    ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT);
  }
}

std::vector<std::string> ChildProcess::read_lines() {
  char buffer[16384];
  for (std::size_t taken = 0; !closed_ && taken < kLongestLine;) {
    const ssize_t n = ::read(report_fd_, buffer, sizeof(buffer));
    if (n > 0)
      pending_.append(buffer, static_cast<std::size_t>(n)), taken += static_cast<std::size_t>(n);
    else if (n == 0)
      closed_ = true;
    else if (errno != EINTR)
      break;
  }
  std::vector<std::string> lines;
  std::size_t begin = 0;
  for (std::size_t end; (end = pending_.find('\n', begin)) != pending_.npos; begin = end + 1)
    lines.push_back(pending_.substr(begin, end - begin));
  pending_.erase(0, begin);
  if (pending_.size() > kLongestLine) flooded_ = closed_ = true;
  return lines;
}

std::optional<Exit> ChildProcess::poll_exit() {
  if (exit_) return exit_;
  int status = 0;
  rusage usage{};
  // The kernel closes the pipe a moment before the process can be waited for.
  for (int turn = 0; turn < (closed_ ? 200 : 1); ++turn) {
    // As long as it has not been waited for, its number is its own, and so is the group's: now is
    // the time to end what is left of its group. Its children have gone elsewhere as it ended.
    siginfo_t ended{};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        ended.si_pid == pid_) {
      if (own_session_) ::kill(-pid_, SIGKILL);
      while (::wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
      }
      exit_.emplace();
      if (WIFEXITED(status)) exit_->code = WEXITSTATUS(status);
      if (WIFSIGNALED(status)) exit_->signal = WTERMSIG(status);
      exit_->peak_memory = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
      return exit_;
    }
    if (closed_) ::usleep(50);
  }
  return std::nullopt;
}

std::uint64_t ChildProcess::memory() const { return exit_ ? 0 : held_by(pid_).memory; }

void ChildProcess::kill(int signal) const {
  if (exit_) return;
  std::vector<pid_t> told_after;
  if (signal == SIGKILL) {
    ::kill(pid_, SIGSTOP);  // or it would hear that its children have died, and end by itself
    kill_descendants(pid_);
  } else {
    told_after = descendants(pid_);  // for the same reason
  }
  // What it has started ends up elsewhere once it has ended itself; its group stays.
  if (own_session_) ::kill(-pid_, signal);
  ::kill(pid_, signal);
  for (const pid_t below : told_after) ::kill(below, signal);
}

std::vector<char*> exec_list(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const auto& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

std::string signal_text(int signal) {
  const char* name = ::sigabbrev_np(signal);
  const char* words = ::sigdescr_np(signal);
  return (name ? std::string("SIG") + name : "signal " + std::to_string(signal)) +
         (words ? std::string(", ") + words : "");
}

std::string tail_of(const std::filesystem::path& file, std::size_t bytes) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return "";
  const auto size = static_cast<std::size_t>(in.tellg());
  const std::size_t start = size > bytes ? size - bytes : 0;
  in.seekg(static_cast<std::streamoff>(start));
  std::string text(size - start, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (start > 0) {
    const std::size_t line = text.find('\n');
    if (line != text.npos) text.erase(0, line + 1);
  }
  // A plugin may print anything; the store holds text, in UTF-8.
  std::string out;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view before = rest;
    const char32_t c = results::take_character(rest);
    const std::string_view taken = before.substr(0, before.size() - rest.size());
    if (taken.size() == 1 && c >= 0x80)  // no UTF-8
      out += '?';
    else if (c < 0x20 && c != '\n' && c != '\t')
      out += ' ';
    else
      out += taken;
  }
  return out;
}

}  // namespace conoscope::core
