#include "harness/core/processes/system_calls.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace conoscope::core {

namespace {

#if defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
constexpr std::uint32_t kX32 = 0x40000000;  // another way to call by number
#endif

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;
constexpr std::uint32_t kUnknown = SECCOMP_RET_ERRNO | ENOSYS;

// Newer than the headers of Debian 12; the numbers are the same on both machines.
constexpr int kFchmodat2 = 452, kSetxattrat = 463, kRemovexattrat = 466, kFileSetattr = 469;

constexpr int kNever[] = {
    // other processes
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_pidfd_open,
    SYS_pidfd_getfd, SYS_pidfd_send_signal, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_tkill,
    SYS_perf_event_open, SYS_move_pages, SYS_migrate_pages, SYS_process_madvise, SYS_setpriority,
    SYS_ioprio_set,
    // calls that no filter sees
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
    // the system
    SYS_bpf, SYS_userfaultfd, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_mount, SYS_umount2,
    SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, SYS_fsopen, SYS_fsconfig, SYS_fsmount,
    SYS_fspick, SYS_open_tree, SYS_move_mount, SYS_mount_setattr, SYS_init_module, SYS_finit_module,
    SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_settimeofday,
    SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_sethostname, SYS_setdomainname,
    SYS_quotactl, SYS_acct, SYS_open_by_handle_at, SYS_syslog, SYS_vhangup, SYS_personality,
// modes, owners, times and attributes of files, which Landlock leaves to whoever owns them
#ifdef SYS_chmod
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat,
#endif
    SYS_fchmod, SYS_fchmodat, kFchmodat2, SYS_fchown, SYS_fchownat, SYS_utimensat, SYS_setxattr,
    SYS_lsetxattr, SYS_fsetxattr, kSetxattrat, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
    kRemovexattrat, kFileSetattr,
    // memory outside every process
    SYS_memfd_create, SYS_shmget, SYS_shmat, SYS_msgget, SYS_semget, SYS_mq_open};

constexpr int kProcesses[] = {
#ifdef SYS_fork
    SYS_fork, SYS_vfork,
#endif
    SYS_setsid, SYS_setpgid};
constexpr int kPrograms[] = {SYS_execve, SYS_execveat};

/// A filter, as the kernel's little machine runs it: the number of the call is in its register.
class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0);
    answer(kRefuse);
    load_call();
#if defined(__x86_64__)
    add(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1);
    answer(kRefuse);
#endif
  }

  void always(int call, std::uint32_t what) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1);
    answer(what);
  }

  /// Allowed only where the argument, less the bits outside the mask, is one of these.
  void only(int call, int argument, std::uint32_t mask, std::vector<std::uint32_t> values,
            bool among = true) {
    const auto count = static_cast<std::uint8_t>(values.size());
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0,
        static_cast<std::uint8_t>(count + 4));
    // Both supported machines are little-endian: the low half comes first.
    load(static_cast<std::uint32_t>(offsetof(seccomp_data, args) +
                                    sizeof(std::uint64_t) * static_cast<std::size_t>(argument)));
    add(BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
    for (std::uint8_t i = 0; i < count; ++i)
      add(BPF_JMP | BPF_JEQ | BPF_K, values[i], static_cast<std::uint8_t>(count - i), 0);
    answer(among ? kRefuse : kAllow);
    answer(among ? kAllow : kRefuse);
  }
  void but(int call, int argument, std::uint32_t mask, std::vector<std::uint32_t> values) {
    only(call, argument, mask, std::move(values), false);
  }

  bool install() {
    answer(kAllow);
    sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
  }

 private:
  void add(int code, std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
    code_.push_back({static_cast<std::uint16_t>(code), yes, no, value});
  }
  void load(std::uint32_t offset) { add(BPF_LD | BPF_W | BPF_ABS, offset, 0, 0); }
  void load_call() { load(offsetof(seccomp_data, nr)); }
  void answer(std::uint32_t what) { add(BPF_RET | BPF_K, what, 0, 0); }

  std::vector<sock_filter> code_;
};

}  // namespace

bool can_filter_system_calls() {
  constexpr std::uint32_t kAction = kRefuse & SECCOMP_RET_ACTION_FULL;
  return ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &kAction) == 0;
}

bool filter_system_calls(const SystemCallsAllowed& allowed) {
  constexpr std::uint32_t kAll = 0xffffffff;
  const auto self = static_cast<std::uint32_t>(::getpid());
  Filter filter;
  for (const int call : kNever) filter.always(call, kRefuse);
#ifdef SYS_kexec_file_load
  filter.always(SYS_kexec_file_load, kRefuse);
#endif
#ifdef SYS_memfd_secret
  filter.always(SYS_memfd_secret, kRefuse);
#endif
  // No other process by a limit, by an owner of a file's signals, or by a terminal's input.
  filter.only(SYS_prlimit64, 0, kAll, {0, self});
  // Nor by its priority. Threads that are bound to a core as they start need sched_setaffinity().
  for (const int call : {SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr})
    filter.only(call, 0, kAll, {0, self});
  filter.but(SYS_fcntl, 1, kAll, {F_SETOWN, F_SETOWN_EX, F_SETSIG});
  filter.but(SYS_ioctl, 1, kAll,
             {FIOSETOWN, SIOCSPGRP, TIOCSTI, static_cast<std::uint32_t>(FS_IOC_SETFLAGS),
              static_cast<std::uint32_t>(FS_IOC_FSSETXATTR)});
  filter.but(SYS_prctl, 0, kAll, {PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER});
  if (!allowed.truncation) {
    // Opened to be emptied, but not to be written to: Landlock sees a file that is read.
    constexpr std::uint32_t kHow = O_ACCMODE | O_TRUNC;
    filter.always(SYS_truncate, kRefuse);
#ifdef SYS_open
    filter.but(SYS_open, 1, kHow, {O_RDONLY | O_TRUNC, kHow});
#endif
    filter.but(SYS_openat, 2, kHow, {O_RDONLY | O_TRUNC, kHow});
    filter.always(SYS_openat2, kUnknown);  // its flags lie in memory, too
  }
  if (!allowed.network) {
    filter.always(SYS_socket, kRefuse);
    // One of a pair of datagram sockets could be sent to any such socket of the file system.
    constexpr std::uint32_t kTypeOfSocket = 0xf;
    filter.only(SYS_socketpair, 1, kTypeOfSocket, {SOCK_STREAM});
  }
  if (!allowed.programs)
    for (const int call : kPrograms) filter.always(call, kRefuse);
  constexpr std::uint32_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                        CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
  // Its flags lie in memory, where no filter sees them; the C library then takes clone().
  filter.always(SYS_clone3, kUnknown);
  if (allowed.processes) {
    filter.only(SYS_clone, 0, kNamespaces, {0});
  } else {
    for (const int call : kProcesses) filter.always(call, kRefuse);
    filter.only(SYS_clone, 0, CLONE_THREAD | kNamespaces, {CLONE_THREAD});
    // Where it may start others, it may signal them, and Landlock says whom else.
    filter.only(SYS_kill, 0, kAll, {self});
    filter.only(SYS_tgkill, 0, kAll, {self});
  }
  return filter.install();
}

}  // namespace conoscope::core
