#include "harness/core/processes/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <stdexcept>

#include "harness/core/processes/protocol.h"

extern char** environ;

namespace conoscope::core {

namespace {

/// Of entries with the same name the first: those that are set, this process's own, the defaults.
std::vector<std::string> merged_environment(const std::vector<std::string>& set,
                                            const std::vector<std::string>& defaults) {
  std::vector<std::string> entries = set, out;
  for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
  entries.insert(entries.end(), defaults.begin(), defaults.end());
  std::set<std::string> names;
  for (const auto& entry : entries)
    if (names.insert(entry.substr(0, entry.find('='))).second) out.push_back(entry);
  return out;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const auto& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

/// Bytes of the character that a text begins with; 0: that is not UTF-8 (RFC 3629).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Overlong forms, surrogates, and what lies above U+10FFFF.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0) ||
      (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90))
    return 0;
  return length;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command, const OutputFiles& output,
                           const std::vector<std::string>& environment,
                           const std::vector<std::string>& defaults) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error(std::string("pipe: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.standard_output.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, output.standard_error.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0644);
  // When the pipe happens to be the wanted number already, dup2 onto itself clears close-on-exec.
  posix_spawn_file_actions_adddup2(&actions, ends[1], kReportFd);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);

  const auto env = merged_environment(environment, defaults);
  const int error = ::posix_spawn(&pid_, command[0].c_str(), &actions, &attributes,
                                  pointers(command).data(), pointers(env).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    throw std::runtime_error(command[0] + ": cannot be started: " + std::strerror(error));
  }
  report_fd_ = ends[0];
  ::fcntl(report_fd_, F_SETFL, O_NONBLOCK);
}

ChildProcess::~ChildProcess() {
  if (!exit_) {
    kill(SIGKILL);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  ::close(report_fd_);
}

std::vector<std::string> ChildProcess::read_lines() {
  char buffer[16384];
  while (!closed_) {
    const ssize_t n = ::read(report_fd_, buffer, sizeof(buffer));
    if (n > 0)
      pending_.append(buffer, static_cast<std::size_t>(n));
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
  return lines;
}

std::optional<Exit> ChildProcess::poll_exit() {
  if (exit_) return exit_;
  int status = 0;
  rusage usage{};
  // The kernel closes the pipe a moment before the process can be waited for.
  for (int turn = 0; turn < (closed_ ? 200 : 1); ++turn) {
    // As long as it has not been waited for, its number is its own, and so is the group's: now is
    // the time to end what the child itself may have started.
    siginfo_t ended{};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        ended.si_pid == pid_) {
      kill(SIGKILL);
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

std::uint64_t ChildProcess::resident_memory() const {
  if (exit_) return 0;
  std::ifstream in("/proc/" + std::to_string(pid_) + "/statm");
  std::uint64_t total = 0, resident = 0, shared = 0;
  if (!(in >> total >> resident >> shared)) return 0;
  // Mapped files (inputs, outputs, libraries) can be dropped by the kernel; what cannot is counted.
  return (resident - std::min(resident, shared)) * static_cast<std::uint64_t>(::getpagesize());
}

void ChildProcess::kill(int signal) const {
  if (!exit_) ::kill(-pid_, signal);
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
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(std::string_view(text).substr(i));
    if (length == 0)
      text[i] = '?';
    else if (static_cast<unsigned char>(text[i]) < 0x20 && text[i] != '\n' && text[i] != '\t')
      text[i] = ' ';
    i += std::max<std::size_t>(length, 1);
  }
  return text;
}

}  // namespace conoscope::core
