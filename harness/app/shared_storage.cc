// SPDX-License-Identifier: Apache-2.0
#include "harness/app/shared_storage.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>

namespace conoscope::app {

namespace fs = std::filesystem;

namespace {

/// File systems of a network, by their magic numbers: what the kernel's headers do not name is as in
/// the sources of each.
bool is_network(std::uint64_t type) {
  constexpr std::uint64_t kNetwork[] = {
      NFS_SUPER_MAGIC, SMB_SUPER_MAGIC, AFS_SUPER_MAGIC, V9FS_MAGIC, CEPH_SUPER_MAGIC,
      0xff534d42,  // CIFS
      0xfe534d42,  // SMB 2
      0x0bd00bd0,  // Lustre
      0x47504653,  // GPFS
      0x19830326,  // BeeGFS
      0x01161970,  // GFS2
      0x7461636f,  // OCFS2
      0x65735546,  // FUSE: sshfs, GlusterFS and others
  };
  return std::find(std::begin(kNetwork), std::end(kNetwork), type) != std::end(kNetwork);
}

}  // namespace

std::string not_shared(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(path), error);
  fs::path there = whole;
  while (!fs::exists(there, error) && there.has_relative_path()) there = there.parent_path();
  struct statfs system {};
  if (::statfs(there.c_str(), &system) != 0) return "";
  const auto type = static_cast<std::uint32_t>(system.f_type);
  if (is_network(type)) return "";
  if (type == TMPFS_MAGIC || type == RAMFS_MAGIC) return there.string() + " is kept in memory";
  for (const fs::path own : {"/tmp", "/var/tmp", "/dev", "/run"})
    if (std::mismatch(own.begin(), own.end(), whole.begin(), whole.end()).first == own.end())
      return own.string() + " is each machine's own";
  return "";
}

}  // namespace conoscope::app
