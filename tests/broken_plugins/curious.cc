// SPDX-License-Identifier: Apache-2.0
// Tries what is none of its business, and says what it could do.

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
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

bool can_list(const std::string& folder) {
  std::error_code error;
  return std::filesystem::directory_iterator(folder, error) !=
         std::filesystem::directory_iterator();
}

/// Whatever it was, the kernel has looked at what it is called with.
bool answered(long said) {
  return said != -1 || (errno != EPERM && errno != ENOSYS && errno != EOPNOTSUPP);
}

/// Of System V: by numbers that are anybody's.
bool shares_by_number() {
  char room[4096] = {};
  return answered(::syscall(SYS_msgctl, 0, IPC_STAT, room)) ||
         answered(::syscall(SYS_msgrcv, 0, room, 1, 0, IPC_NOWAIT)) ||
         answered(::syscall(SYS_msgsnd, 0, room, 1, IPC_NOWAIT)) ||
         answered(::syscall(SYS_semctl, 0, 0, IPC_STAT, room)) ||
         answered(::syscall(SYS_semop, 0, room, 1)) ||
         answered(::syscall(SYS_semtimedop, 0, room, 1, nullptr)) ||
         answered(::syscall(SYS_shmctl, 0, IPC_STAT, room)) || answered(::syscall(SYS_shmdt, room));
}

/// Watches, leases, versions and attributes of files that it may read.
std::string of_file(const std::string& file) {
  std::string done;
  const auto tried = [&done](const char* what, bool could) {
    if (could) done += std::string(" ") + what;
  };
  const int fd = ::open(file.c_str(), O_RDONLY);
  long version = 0;
  char room[4096] = {};
  tried("version", answered(::ioctl(fd, FS_IOC_SETVERSION, &version)));
  tried("lease", answered(::fcntl(fd, F_SETLEASE, F_RDLCK)));
  tried("notices", answered(::fcntl(fd, F_NOTIFY, DN_ACCESS)));
  tried("attributes", answered(::syscall(SYS_listxattr, file.c_str(), room, sizeof(room))));
  tried("one_attribute",
        answered(::syscall(SYS_getxattr, "/etc", "user.none", room, sizeof(room))));
  tried("watch", ::inotify_init1(0) >= 0);
  tried("watch_all", ::syscall(SYS_fanotify_init, 0x200, O_RDONLY) >= 0);
  int mount = 0;
  tried("handle", answered(::syscall(SYS_name_to_handle_at, AT_FDCWD, "/etc", room, &mount, 0)));
  tried("flush", answered(::syscall(SYS_syncfs, fd)));
  ::close(fd);
  return done;
}

/// A name that is free to all, without a file.
bool can_take_name() {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return false;
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strcpy(name.sun_path + 1, "conoscope_curious");
  return ::bind(pair[0], reinterpret_cast<const sockaddr*>(&name), sizeof(name)) == 0;
}

/// Where this plugin lies.
std::string own_file() {
  Dl_info info{};
  ::dladdr(reinterpret_cast<const void*>(&own_file), &info);
  return info.dli_fname;
}

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
  tried("own_file", can_read(own_file()));
  const std::string home = above(own_file(), 1);
  tried("neighbours", can_list(home));
  tried("key", can_read(home + "/.ssh/id_rsa"));
  tried("own_process", can_read("/proc/self/status") && can_read("/proc/cpuinfo"));
  tried("processes", can_list("/proc"));
  tried("command_line", can_read("/proc/" + std::to_string(::getppid()) + "/cmdline"));
  tried("shared_numbers", can_read("/proc/sysvipc/shm"));
  tried("by_number", shares_by_number());
  tried("name", can_take_name());
  unsigned long queue = 0;
  tried("queue", answered(::syscall(SYS_io_setup, 1, &queue)));
  done += of_file(own_file());
  throw std::runtime_error("could:" + done);
})
