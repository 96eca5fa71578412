// SPDX-License-Identifier: Apache-2.0
#include "harness/core/processes/confinement.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "harness/core/processes/system_calls.h"

namespace conoscope::core {

namespace {

// Newer than the headers of Debian 12; the kernel is asked what it knows of them.
constexpr std::uint64_t kRefer = 1 << 13, kTruncate = 1 << 14, kIoctlDevice = 1 << 15;
constexpr int kTruncateVersion = 3;  // Linux 6.2
constexpr std::uint64_t kBindTcp = 1 << 0, kConnectTcp = 1 << 1;
constexpr std::uint64_t kAbstractSockets = 1 << 0, kSignals = 1 << 1;

struct RulesetAttributes {
  std::uint64_t files = 0, network = 0, scoped = 0;
};

constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWrite = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
                                 LANDLOCK_ACCESS_FS_MAKE_REG;
constexpr std::uint64_t kNever = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                                 LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                                 LANDLOCK_ACCESS_FS_MAKE_SYM;
constexpr std::uint64_t kOfFiles = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                   LANDLOCK_ACCESS_FS_EXECUTE | kTruncate;

// Programs and libraries; what the loader, the C library and numerical libraries look up.
constexpr const char* kSystem[] = {"/usr",
                                   "/lib",
                                   "/lib64",
                                   "/opt",
                                   "/nix/store",
                                   "/sys/devices/system",
                                   "/sys/fs/cgroup",
                                   "/sys/kernel/mm/transparent_hugepage",
                                   "/etc/ld.so.cache",
                                   "/etc/ld.so.conf",
                                   "/etc/ld.so.conf.d",
                                   "/etc/ld.so.preload",
                                   "/etc/localtime",
                                   "/etc/timezone",
                                   "/etc/alternatives",
                                   "/etc/passwd",
                                   "/etc/group",
                                   "/etc/nsswitch.conf",
                                   "/dev/zero",
                                   "/dev/random",
                                   "/dev/urandom"};
// Of /proc: of this process, and of the machine. Its entries are made anew once the kernel has
// dropped them, and a rule is for the one that was there; so each of these stays open.
constexpr const char* kProc[] = {"/proc/self",    "/proc/cpuinfo", "/proc/meminfo", "/proc/stat",
                                 "/proc/loadavg", "/proc/uptime",  "/proc/sys"};
constexpr const char* kNames[] = {"/etc/resolv.conf", "/etc/hosts",           "/etc/services",
                                  "/etc/ssl",         "/etc/ca-certificates", "/etc/gai.conf",
                                  "/etc/host.conf",   "/run/systemd/resolve"};

/// The version of its Landlock; 0: none.
int landlock_version() {
  const long version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version < 0 ? 0 : static_cast<int>(version);
}

/// What the kernel says it offers must not be left out unnoticed.
[[noreturn]] void refused(const std::string& call) {
  throw std::runtime_error("the plugin cannot be confined: " + call + ": " + std::strerror(errno) +
                           "; --confine=off does not try");
}

class Ruleset {
 public:
  explicit Ruleset(const Confinement& wanted) {
    const int version = landlock_version();
    if (version == 0) return;
    files_ = kRead | kWrite | kNever | LANDLOCK_ACCESS_FS_EXECUTE;
    if (version >= 2) files_ |= kRefer;
    if (version >= kTruncateVersion) files_ |= kTruncate;
    if (version >= 5) files_ |= kIoctlDevice;
    RulesetAttributes attributes{files_, wanted.network ? 0 : kBindTcp | kConnectTcp,
                                 kSignals | (wanted.network ? 0 : kAbstractSockets)};
    const std::size_t size = sizeof(std::uint64_t) * (version >= 6 ? 3 : version >= 4 ? 2 : 1);
    fd_ = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0));
    if (fd_ < 0) refused("landlock_create_ruleset");
  }
  ~Ruleset() {
    if (fd_ >= 0) ::close(fd_);
  }
  Ruleset(const Ruleset&) = delete;
  Ruleset& operator=(const Ruleset&) = delete;

  void allow(const std::filesystem::path& path, std::uint64_t access) const {
    if (const int place = add(path, access); place >= 0) ::close(place);
  }
  /// What is allowed stays open, in the programs that this process starts, too.
  void allow_and_hold(const char* path, std::uint64_t access) const { add(path, access); }

  void apply() const {
    if (fd_ >= 0 && ::syscall(SYS_landlock_restrict_self, fd_, 0) != 0)
      refused("landlock_restrict_self");
  }

 private:
  int add(const std::filesystem::path& path, std::uint64_t access) const {
    const int place = fd_ < 0 || path.empty() ? -1 : ::open(path.c_str(), O_PATH);
    if (place < 0) return -1;  // what is not there needs no rule
    landlock_path_beneath_attr rule{};
    rule.parent_fd = place;
    rule.allowed_access = access & files_;
    if (::syscall(SYS_landlock_add_rule, fd_, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
      rule.allowed_access &= kOfFiles;  // it is not a folder
      ::syscall(SYS_landlock_add_rule, fd_, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
    return place;
  }

  std::uint64_t files_ = 0;
  int fd_ = -1;
};

/// Root's privileges but those that open files: which files, Landlock says.
void drop_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  if (::syscall(SYS_capget, &header, data) != 0) return;
  constexpr std::uint32_t kKept = 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH;
  for (auto& word : data) {
    const std::uint32_t kept = &word == data ? kKept : 0;
    word.effective &= kept;
    word.permitted &= kept;
    word.inheritable = 0;
  }
  ::syscall(SYS_capset, &header, data);
}

}  // namespace

std::string confinement_offered() {
  std::string out;
  if (const int version = landlock_version(); version > 0)
    out = "landlock " + std::to_string(version);
  if (can_filter_system_calls()) out += (out.empty() ? "" : ", ") + std::string("seccomp");
  return out.empty() ? "none" : out;
}

bool can_confine() { return landlock_version() > 0 && can_filter_system_calls(); }

void prepare_confinement() {
  prepare_filter({.truncation = landlock_version() >= kTruncateVersion});
}

void confine(const Confinement& wanted) {
  const Ruleset rules(wanted);
  // A program's loader is started with it.
  const bool starts_programs = wanted.processes || !wanted.programs.empty();
  for (const char* path : kSystem)
    rules.allow(path, kRead | (starts_programs ? LANDLOCK_ACCESS_FS_EXECUTE : 0));
  // Where it may start others, each of them has its own.
  if (wanted.processes)
    rules.allow("/proc", kRead);
  else
    for (const char* path : kProc) rules.allow_and_hold(path, kRead);
  for (const auto& path : wanted.programs) rules.allow(path, kRead | LANDLOCK_ACCESS_FS_EXECUTE);
  if (wanted.network)
    for (const char* path : kNames) rules.allow(path, kRead);
  rules.allow("/dev/null", kRead | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate | kIoctlDevice);
  for (const auto& path : wanted.read) rules.allow(path, kRead);
  for (const auto& path : wanted.write) rules.allow(path, kRead | kWrite | kTruncate);
  drop_capabilities();
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) refused("prctl");
  rules.apply();
  if (can_filter_system_calls() &&
      !filter_system_calls({wanted.network, wanted.processes, starts_programs,
                            landlock_version() >= kTruncateVersion}))
    refused("seccomp");
}

}  // namespace conoscope::core
