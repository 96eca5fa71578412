// SPDX-License-Identifier: Apache-2.0
#include "harness/app/slurm_client.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "harness/app/command.h"
#include "harness/app/folders.h"
#include "harness/core/processes/process.h"

namespace conoscope::app {

namespace fs = std::filesystem;

namespace {

struct Answer {
  int code = 0;
  std::string out, err;
};

/// A file in memory that a program writes into.
class Output {
 public:
  Output() : fd_(::memfd_create("slurm", MFD_CLOEXEC)) {
    if (fd_ < 0) throw std::runtime_error(std::string("memfd_create: ") + std::strerror(errno));
  }
  ~Output() { ::close(fd_); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  int fd() const { return fd_; }
  std::string text() const {
    std::string out(static_cast<std::size_t>(std::max<off_t>(0, ::lseek(fd_, 0, SEEK_END))), '\0');
    const auto read = ::pread(fd_, out.data(), out.size(), 0);
    out.resize(read < 0 ? 0 : static_cast<std::size_t>(read));
    while (!out.empty() && out.back() == '\n') out.pop_back();
    return out;
  }

 private:
  int fd_;
};

/// throws  UsageError: there is no such program
Answer ask(const std::vector<std::string>& words, const fs::path& folder) {
  const Output out, err;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out.fd(), 1);
  ::posix_spawn_file_actions_adddup2(&actions, err.fd(), 2);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  const auto environment = slurm_environment();
  pid_t pid = 0;
  const int fault =
      ::posix_spawnp(&pid, words[0].c_str(), &actions, nullptr, core::exec_list(words).data(),
                     core::exec_list(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (fault != 0) throw UsageError(words[0] + ": " + std::strerror(fault));
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out.text(), err.text()};
}

}  // namespace

bool on_path(const std::string& program) {
  for (const auto& folder : interpreter_search().folders)
    if (::access((folder / program).c_str(), X_OK) == 0) return true;
  return false;
}

std::string submit_job(const fs::path& script, const std::vector<std::string>& options) {
  std::vector<std::string> words = {"sbatch", "--parsable"};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(script.filename().string());
  const Answer answer = ask(words, script.parent_path());
  // "12" or "12;cluster"
  const std::string id = answer.out.substr(0, answer.out.find(';'));
  if (answer.code != 0 || id.empty() || id.find_first_not_of("0123456789") != id.npos)
    throw UsageError("sbatch refused " + script.string() + ":\n" +
                     (answer.err.empty() ? answer.out : answer.err));
  return id;
}

std::string cancel_job(const std::string& id) {
  try {
    const Answer answer = ask({"scancel", id}, "/");
    if (answer.code == 0) return "";
    const std::string& said = answer.err.empty() ? answer.out : answer.err;
    return said.empty() ? "exit code " + std::to_string(answer.code) : said;
  } catch (const UsageError& e) {
    return e.what();
  }
}

std::optional<std::vector<QueuedTask>> queued_tasks() {
  if (!on_path("squeue")) return std::nullopt;
  const Answer answer = ask({"squeue", "--noheader", "--array", "--me", "--format=%F %K %T"}, "/");
  if (answer.code != 0) return std::nullopt;
  std::vector<QueuedTask> out;
  std::istringstream lines(answer.out);
  for (QueuedTask task; lines >> task.job >> task.task >> task.state;) out.push_back(task);
  return out;
}

}  // namespace conoscope::app
