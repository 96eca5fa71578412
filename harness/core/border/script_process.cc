// SPDX-License-Identifier: Apache-2.0
#include "harness/core/border/script_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <system_error>
#include <utility>

#include "conoscope/sdk/abi.h"
#include "harness/core/processes/process.h"
#include "harness/core/processes/protocol.h"

extern char** environ;

namespace conoscope::core {

namespace {

constexpr int kFromHost = 3, kToHost = 4;  // the script's descriptors

/// In the new process: what it needs from this one, and no more.
[[noreturn]] void become(const PluginUse& use, const std::function<void()>& prepare, int in,
                         int out) {
  // Neither may lie where the other is to be.
  in = ::fcntl(in, F_DUPFD, kToHost + 1);
  out = ::fcntl(out, F_DUPFD, kToHost + 1);
  if (::dup2(in, kFromHost) < 0 || ::dup2(out, kToHost) < 0) ::_exit(126);
  ::closefrom(kToHost + 1);
  ::signal(SIGTERM, SIG_IGN);  // it is told to stop when it asks
  std::string path = "PYTHONPATH=";
  for (const auto& folder : use.folders) path += (path.back() == '=' ? "" : ":") + folder;
  std::string why;
  try {
    prepare();
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

ScriptProcess::ScriptProcess(const PluginUse& use, const std::filesystem::path& exchange,
                             const std::function<void()>& prepare)
    : exchange_(exchange) {
  int there[2], back[2];
  if (::pipe2(there, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  if (::pipe2(back, O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    become(use, prepare, there[0], back[1]);
  }
  const int error = errno;
  ::close(there[0]);
  ::close(back[1]);
  to_ = there[1];
  from_ = back[0];
  if (pid_ < 0) throw std::system_error(error, std::generic_category(), "fork");
}

ScriptProcess::~ScriptProcess() {
  forget();
  ::close(to_);
}

std::string ScriptProcess::put(std::string_view word, std::string_view name,
                               const cono_tensor& tensor) {
  const std::string file = std::to_string(++files_) + "." + std::string(name) + ".npy";
  exchange_.write(written_.emplace_back(file), tensor);
  return make_line({std::string(word), std::string(name), file});
}

void ScriptProcess::forget() {
  for (const auto& file : std::exchange(written_, {})) exchange_.remove(file);
}

}  // namespace conoscope::core
