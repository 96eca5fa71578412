#include "harness/core/border/plugin_peer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <string_view>
#include <system_error>

#include "conoscope/sdk/abi.h"
#include "harness/core/border/loader.h"
#include "harness/core/border/output_check.h"
#include "harness/core/processes/process.h"
#include "harness/core/processes/protocol.h"
#include "harness/core/write_all.h"

extern char** environ;

namespace conoscope::core {

namespace {

constexpr int kFromHost = 3, kToHost = 4;  // the plugin's descriptors
constexpr std::size_t kLongestMessage = 1 << 20;

[[noreturn]] void end_like(int status) {
  if (WIFSIGNALED(status)) {
    ::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
  }
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/// In the new process: what it needs from this one, and no more.
[[noreturn]] void become(const PluginUse& use, const std::function<void()>& confine, int in,
                         int out) {
  // Neither may lie where the other is to be.
  in = ::fcntl(in, F_DUPFD, kToHost + 1);
  out = ::fcntl(out, F_DUPFD, kToHost + 1);
  if (::dup2(in, kFromHost) < 0 || ::dup2(out, kToHost) < 0) ::_exit(126);
  ::closefrom(kToHost + 1);
  ::signal(SIGTERM, SIG_IGN);  // it is told to stop when it asks
  std::string path = "PYTHONPATH=";
  for (const auto& folder : use.folders) path += (path.back() == '=' ? "" : ":") + folder;
  // The packages are those that the host has looked up; the order of sets is the same in each
  // process; what is printed is not lost where the process is killed.
  std::vector<std::string> variables = {path,
                                        "PYTHONNOUSERSITE=1",
                                        "PYTHONDONTWRITEBYTECODE=1",
                                        "PYTHONHASHSEED=0",
                                        "PYTHONUNBUFFERED=1",
                                        "PYTHONFAULTHANDLER=1",
                                        "PYTHONUTF8=1"};
  for (char** entry = environ; *entry != nullptr; ++entry) variables.emplace_back(*entry);
  std::string why;
  try {
    confine();
    ::execve(use.command[0].c_str(), exec_list(use.command).data(), exec_list(variables).data());
    why = use.command[0] + ": " + std::strerror(errno);
  } catch (const std::exception& e) {
    why = e.what();
  }
  const std::string fault = make_line({"fault", std::to_string(CONO_INTERNAL), why});
  [[maybe_unused]] const ssize_t sent = ::write(kToHost, fault.data(), fault.size());
  ::_exit(127);
}

}  // namespace

PluginPeer::PluginPeer(const PluginUse& use, const std::function<void()>& confine) {
  int there[2], back[2];
  if (::pipe2(there, O_CLOEXEC) != 0 || ::pipe2(back, O_CLOEXEC) != 0)
    throw LoadFault(std::string("pipe: ") + std::strerror(errno));
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    become(use, confine, there[0], back[1]);
  }
  ::close(there[0]);
  ::close(back[1]);
  out_ = there[1];
  in_ = back[0];
}

void PluginPeer::send(const std::string& lines) {
  if (!write_all(out_, lines.data(), lines.size())) end_too();
}

std::vector<std::string> PluginPeer::receive() {
  while (true) {
    if (const std::size_t end = pending_.find('\n'); end != pending_.npos) {
      auto out = split_line(std::string_view(pending_).substr(0, end));
      pending_.erase(0, end + 1);
      return out;
    }
    if (pending_.size() > kLongestMessage)
      throw OutputFault("the plugin sent a message without an end");
    char buffer[1 << 14];
    const ssize_t n = ::read(in_, buffer, sizeof(buffer));
    if (n == 0 || (n < 0 && errno != EINTR)) end_too();
    if (n > 0) pending_.append(buffer, static_cast<std::size_t>(n));
  }
}

void PluginPeer::end_too() {
  // It has closed its end, and may go on without; then nobody will hear of it again.
  int status = 0;
  for (int turn = 0; turn < 200; ++turn) {
    const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == pid_) end_like(status);
    ::usleep(10'000);
  }
  throw LoadFault("the plugin has closed its descriptor " + std::to_string(kToHost) +
                  " and goes on");
}

}  // namespace conoscope::core
