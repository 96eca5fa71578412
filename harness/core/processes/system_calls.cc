// SPDX-License-Identifier: Apache-2.0
#include "harness/core/processes/system_calls.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <new>
#include <tuple>
#include <vector>

namespace conoscope::core {

namespace {

constexpr std::uint32_t kRefuse = SCMP_ACT_ERRNO(EPERM);
constexpr std::uint32_t kUnknown = SCMP_ACT_ERRNO(ENOSYS);
constexpr std::uint32_t kAll = 0xffffffff;

// The newest call that was thought of here, the same on all machines. Of later ones a process is told
// that there are none, and does as it does on an older kernel.
constexpr std::uint32_t kNewest = 450;  // set_mempolicy_home_node

// Stands in a filter for the process that it is for. No process has this number.
constexpr std::uint32_t kSelf = 0x5e1f5e1f;

// Not in all headers.
constexpr std::uint32_t kSetVma = 0x53564d41, kTerminal2 = 0x802c542a;

// What some machines or versions of the library do not know is left out there.
constexpr const char* kAllowed[] = {
    // files, as far as Landlock says which, and what is open
    "access", "chdir", "close", "close_range", "copy_file_range", "creat", "dup", "dup2", "dup3",
    "faccessat", "faccessat2", "fadvise64", "fallocate", "fchdir", "fdatasync", "flock", "fstat",
    "fstatfs", "fsync", "ftruncate", "getcwd", "getdents", "getdents64", "link", "linkat", "lseek",
    "lstat", "mkdir", "mkdirat", "newfstatat", "pipe", "pipe2", "pread64", "preadv", "preadv2",
    "pwrite64", "pwritev", "pwritev2", "read", "readahead", "readlink", "readlinkat", "readv",
    "rename", "renameat", "renameat2", "rmdir", "sendfile", "stat", "statfs", "statx", "symlink",
    "symlinkat", "sync_file_range", "umask", "unlink", "unlinkat", "write", "writev",
    // to wait for what is open
    "epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait",
    "eventfd", "eventfd2", "poll", "ppoll", "pselect6", "select", "signalfd", "signalfd4",
    "timerfd_create", "timerfd_gettime", "timerfd_settime",
    // a pair of sockets, see below
    "getpeername", "getsockname", "getsockopt", "recvfrom", "recvmmsg", "recvmsg", "sendmmsg",
    "sendmsg", "sendto", "setsockopt", "shutdown",
    // memory of one's own
    "brk", "get_mempolicy", "madvise", "mbind", "membarrier", "mincore", "mlock", "mlock2",
    "mlockall", "mmap", "mprotect", "mremap", "msync", "munlock", "munlockall", "munmap",
    "pkey_alloc", "pkey_free", "pkey_mprotect", "set_mempolicy", "set_mempolicy_home_node",
    // threads
    "futex", "futex_waitv", "get_robust_list", "getcpu", "gettid", "rseq", "sched_get_priority_max",
    "sched_get_priority_min", "sched_getaffinity", "sched_getattr", "sched_getparam",
    "sched_getscheduler", "sched_rr_get_interval", "sched_setaffinity", "sched_yield",
    "set_robust_list", "set_tid_address",
    // signals, time, numbers and limits of one's own, and the end
    "alarm", "arch_prctl", "capget", "clock_getres", "clock_gettime", "clock_nanosleep", "exit",
    "exit_group", "getegid", "geteuid", "getgid", "getgroups", "getitimer", "getpgid", "getpgrp",
    "getpid", "getppid", "getpriority", "getrandom", "getresgid", "getresuid", "getrlimit",
    "getrusage", "getsid", "gettimeofday", "getuid", "ioprio_get", "nanosleep", "pause",
    "restart_syscall", "rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigreturn",
    "rt_sigsuspend", "rt_sigtimedwait", "setitimer", "setrlimit", "sigaltstack", "sysinfo", "time",
    "timer_create", "timer_delete", "timer_getoverrun", "timer_gettime", "timer_settime", "times",
    "uname", "wait4", "waitid"};

constexpr const char* kNetwork[] = {"accept", "accept4", "bind",      "connect",
                                    "listen", "socket",  "socketpair"};
constexpr const char* kProcesses[] = {"fork", "kill", "setpgid", "setsid", "tgkill", "vfork"};
constexpr const char* kPrograms[] = {"execve", "execveat"};
// Programs that copy files ask for attributes, and go on where a file system has none.
constexpr const char* kAttributes[] = {"fgetxattr", "flistxattr", "getxattr",
                                       "lgetxattr", "listxattr",  "llistxattr"};

constexpr std::uint32_t kOptions[] = {PR_CAPBSET_READ,
                                      PR_GET_DUMPABLE,
                                      PR_GET_KEEPCAPS,
                                      PR_GET_NAME,
                                      PR_GET_NO_NEW_PRIVS,
                                      PR_GET_PDEATHSIG,
                                      PR_GET_SECCOMP,
                                      PR_GET_SPECULATION_CTRL,
                                      PR_GET_THP_DISABLE,
                                      PR_GET_TIMERSLACK,
                                      PR_GET_TID_ADDRESS,
                                      PR_PAC_RESET_KEYS,
                                      PR_SET_NAME,
                                      PR_SET_PTRACER,
                                      PR_SET_THP_DISABLE,
                                      PR_SET_TIMERSLACK,
                                      PR_SVE_GET_VL,
                                      PR_SVE_SET_VL,
                                      kSetVma};
constexpr std::uint32_t kFileCommands[] = {
    F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,     F_SETFD,     F_GETFL,      F_SETFL,      F_GETLK,
    F_SETLK, F_SETLKW,        F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_GETPIPE_SZ, F_GET_SEALS};
constexpr std::uint32_t kDeviceCommands[] = {TCGETS,  kTerminal2, TIOCGWINSZ, FIONREAD,
                                             FIONBIO, FIOCLEX,    FIONCLEX};
constexpr std::uint32_t kInterfaceCommands[] = {
    SIOCGIFNAME,    SIOCGIFCONF,    SIOCGIFFLAGS, SIOCGIFADDR,   SIOCGIFDSTADDR,
    SIOCGIFBRDADDR, SIOCGIFNETMASK, SIOCGIFMTU,   SIOCGIFHWADDR, SIOCGIFINDEX};

/// What the library makes of rules: each says what is answered to a call.
class Filter {
 public:
  Filter() : rules_(seccomp_init(kRefuse), seccomp_release) {
    if (!rules_) throw std::bad_alloc();
    seccomp_attr_set(rules_.get(), SCMP_FLTATR_ACT_BADARCH, kRefuse);
    seccomp_attr_set(rules_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a search by halves
  }

  template <typename Names>
  void answer(const Names& names, std::uint32_t what = SCMP_ACT_ALLOW) {
    for (const char* name : names)
      if (const int call = seccomp_syscall_resolve_name(name); call >= 0)
        seccomp_rule_add(rules_.get(), what, call, 0);
  }

  /// Allowed only where the argument, less the bits outside the mask, is one of these.
  template <typename Values = std::initializer_list<std::uint32_t>>
  void only(const char* name, unsigned argument, std::uint32_t mask, const Values& values) {
    const int call = seccomp_syscall_resolve_name(name);
    if (call < 0) return;
    for (const std::uint32_t value : values)
      seccomp_rule_add(rules_.get(), SCMP_ACT_ALLOW, call, 1,
                       SCMP_CMP64(argument, SCMP_CMP_MASKED_EQ, mask, value));
  }

  /// As the kernel reads it. Empty: the library cannot say it.
  std::vector<sock_filter> program() const {
    const int file = ::memfd_create("filter", MFD_CLOEXEC);
    std::vector<sock_filter> out;
    if (file >= 0 && seccomp_export_bpf(rules_.get(), file) == 0) {
      const std::vector<sock_filter> newer = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, 0},
                                              {BPF_JMP | BPF_JGT | BPF_K, 0, 1, kNewest},
                                              {BPF_RET | BPF_K, 0, 0, kUnknown}};
      const auto size = static_cast<std::size_t>(::lseek(file, 0, SEEK_END));
      out = newer;
      out.resize(newer.size() + size / sizeof(sock_filter));
      if (::pread(file, out.data() + newer.size(), size, 0) != static_cast<ssize_t>(size))
        out.clear();
    }
    if (file >= 0) ::close(file);
    return out;
  }

 private:
  std::unique_ptr<void, void (*)(void*)> rules_;
};

void add_files(Filter& filter, bool truncation) {
  filter.only("fcntl", 1, kAll, kFileCommands);
  filter.only("ioctl", 1, kAll, kDeviceCommands);
  if (truncation)
    return filter.answer(
        std::initializer_list<const char*>{"open", "openat", "openat2", "truncate"});
  // Not opened to be emptied unless to be written to: Landlock sees a file that is read.
  const auto how = {
      std::uint32_t{O_RDONLY},  std::uint32_t{O_WRONLY},           std::uint32_t{O_RDWR},
      std::uint32_t{O_ACCMODE}, std::uint32_t{O_WRONLY | O_TRUNC}, std::uint32_t{O_RDWR | O_TRUNC}};
  filter.only("open", 1, O_ACCMODE | O_TRUNC, how);
  filter.only("openat", 2, O_ACCMODE | O_TRUNC, how);
  filter.answer(std::initializer_list<const char*>{"openat2"},
                kUnknown);  // its flags lie in memory
}

void add_processes(Filter& filter, const SystemCallsAllowed& allowed) {
  constexpr std::uint32_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                        CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
  filter.only("prctl", 0, kAll, kOptions);
  // Limits and priorities of no other process. Threads that are bound to a core as they start need
  // sched_setaffinity().
  for (const char* call : {"prlimit64", "sched_setscheduler", "sched_setparam", "sched_setattr"})
    filter.only(call, 0, kAll, {0, kSelf});
  // Its flags lie in memory, where no filter sees them; the C library then takes clone().
  filter.answer(std::initializer_list<const char*>{"clone3"}, kUnknown);
  if (allowed.processes) {
    filter.only("clone", 0, kNamespaces, {0});
    filter.answer(kProcesses);  // whom it may signal, Landlock says
  } else {
    filter.only("clone", 0, CLONE_THREAD | kNamespaces, {CLONE_THREAD});
    for (const char* call : {"kill", "tgkill"}) filter.only(call, 0, kAll, {kSelf});
  }
  if (allowed.programs) filter.answer(kPrograms);
}

std::vector<sock_filter> program_of(const SystemCallsAllowed& allowed) {
  Filter filter;
  filter.answer(kAllowed);
  filter.answer(kAttributes, SCMP_ACT_ERRNO(EOPNOTSUPP));
  add_files(filter, allowed.truncation);
  add_processes(filter, allowed);
  if (allowed.network) {
    filter.answer(kNetwork);
    filter.only("ioctl", 1, kAll, kInterfaceCommands);
  } else {
    // One of a pair of datagram sockets could be sent to any such socket of the file system.
    constexpr std::uint32_t kTypeOfSocket = 0xf;
    filter.only("socketpair", 1, kTypeOfSocket, {SOCK_STREAM});
  }
  return filter.program();
}

/// Made once: that takes some milliseconds.
const std::vector<sock_filter>& known_program(const SystemCallsAllowed& allowed) {
  static std::map<std::tuple<bool, bool, bool, bool>, std::vector<sock_filter>> all;
  auto& program = all[{allowed.network, allowed.processes, allowed.programs, allowed.truncation}];
  if (program.empty()) program = program_of(allowed);
  return program;
}

}  // namespace

bool can_filter_system_calls() {
  constexpr std::uint32_t kAction = SECCOMP_RET_ERRNO;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &kAction) == 0;
}

void prepare_filter(const SystemCallsAllowed& allowed) {
  if (can_filter_system_calls()) known_program(allowed);
}

bool filter_system_calls(const SystemCallsAllowed& allowed) {
  std::vector<sock_filter> code = known_program(allowed);
  if (code.empty()) {
    errno = ENOTSUP;
    return false;
  }
  for (sock_filter& step : code)
    if (step.k == kSelf) step.k = static_cast<std::uint32_t>(::getpid());
  const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

}  // namespace conoscope::core
