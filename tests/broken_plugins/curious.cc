// Tries what is none of its business, and says what it could do.

#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "tests/broken_plugins/base.h"

namespace {

bool can_write(const std::string& file) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (fd >= 0) ::close(fd);
  return fd >= 0;
}

bool can_read(const std::string& file) { return std::ifstream(file).good(); }

bool can_start() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  if (child > 0) ::waitpid(child, nullptr, 0);
  return child > 0;
}

/// The folder so many levels above.
std::string above(std::string folder, int levels) {
  while (levels-- > 0) folder.resize(folder.rfind('/'));
  return folder;
}

}  // namespace

BROKEN_EXPLAINER("curious", {
  std::string done;
  const auto tried = [&done](const char* what, bool could) {
    if (could) done += std::string(" ") + what;
  };
  const std::string cache = above(std::filesystem::absolute(context.scratch()).string(), 4);
  tried("token", std::getenv("CONOSCOPE_TEST_TOKEN") != nullptr);
  tried("own_scratch", can_write(context.scratch() + "/mine"));
  tried("emptying_while_reading",
        ::open((context.scratch() + "/mine").c_str(), O_RDONLY | O_TRUNC) >= 0);
  tried("quarantine", can_write(cache + "/quarantine.tsv"));
  tried("artifacts", can_write(cache + "/artifacts/forged"));
  tried("store", can_write(above(cache, 1) + "/conoscope.db"));
  tried("mode", ::chmod((cache + "/artifacts").c_str(), 0777) == 0);
  tried("times", ::utimensat(AT_FDCWD, (cache + "/artifacts").c_str(), nullptr, 0) == 0);
  const int folder = ::open(context.scratch().c_str(), O_RDONLY | O_DIRECTORY);
  tried("mode_of_open_file", ::fchmod(folder, 0777) == 0);
  tried("emptying", ::truncate((above(cache, 1) + "/secret.txt").c_str(), 6) == 0);
  tried("secret", can_read(above(cache, 1) + "/secret.txt"));
  tried("job", can_write(above(context.scratch(), 1) + "/job.toml"));
  tried("socket", ::socket(AF_INET, SOCK_STREAM, 0) >= 0);
  // One end of such a pair could be sent from to any socket that lies in the file system.
  int pair[2];
  tried("datagrams", ::socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
  tried("children", can_start());
  tried("signals", ::kill(::getppid(), 0) == 0);
  // To what it is already: nothing changes where it may.
  const int priority = ::getpriority(PRIO_PROCESS, static_cast<id_t>(::getppid()));
  tried("priority", ::setpriority(PRIO_PROCESS, static_cast<id_t>(::getppid()), priority) == 0);
  const sched_param usual{};
  tried("scheduling", ::sched_setscheduler(::getppid(), SCHED_OTHER, &usual) == 0);
  tried("memory_of_host",
        ::open(("/proc/" + std::to_string(::getppid()) + "/mem").c_str(), O_RDWR) >= 0);
  tried("ptrace", ::ptrace(PTRACE_SEIZE, ::getppid(), nullptr, nullptr) == 0);
  tried("session", ::setsid() >= 0);
  throw std::runtime_error("could:" + done);
})
