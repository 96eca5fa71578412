// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>

namespace conoscope::core {

// What is wrong with a path that somebody named, in words: "no such file", or, where it cannot be
// looked at, why ("File name too long", "Permission denied"). Empty: nothing. Unlike those of
// std::filesystem, none of these throws.

/// Anything may be there.
inline std::string fault_of_path(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status)) return "";
  return std::filesystem::status_known(status) ? "no such file" : error.message();
}

/// It lies in /proc, /sys or the like: what a file holds there is made as it is read, may have no end,
/// or make who reads it wait.
inline bool is_made_by_kernel(const std::filesystem::path& path) {
  constexpr std::array<std::uint32_t, 13> kKinds = {
      PROC_SUPER_MAGIC, SYSFS_MAGIC,         DEBUGFS_MAGIC, TRACEFS_MAGIC,  SECURITYFS_MAGIC,
      SELINUX_MAGIC,    CGROUP_SUPER_MAGIC,  BPF_FS_MAGIC,  EFIVARFS_MAGIC, PSTOREFS_MAGIC,
      SMACK_MAGIC,      CGROUP2_SUPER_MAGIC, NSFS_MAGIC};
  struct statfs info {};
  return ::statfs(path.c_str(), &info) == 0 &&
         std::ranges::find(kKinds, static_cast<std::uint32_t>(info.f_type)) != kKinds.end();
}

/// A file that holds the same whenever it is read, wherever links lead to.
inline std::string fault_of_file(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  switch (fs::status(path, error).type()) {
    case fs::file_type::regular:
      return is_made_by_kernel(path) ? "a file of the kernel's, which is made as it is read" : "";
    case fs::file_type::directory:
      return "a folder, not a file";
    case fs::file_type::fifo:
      return "a pipe, not a file";
    case fs::file_type::socket:
      return "a socket, not a file";
    case fs::file_type::block:
    case fs::file_type::character:
      return "a device, not a file";
    default: {
      const std::string fault = fault_of_path(path);
      return fault.empty() ? "no file that can be looked at" : fault;
    }
  }
}

inline std::string fault_of_folder(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status))
    return is_made_by_kernel(path)
               ? "a folder of the kernel's, whose files are made as they are read"
               : "";
  return std::filesystem::status_known(status) ? "no such folder" : error.message();
}

}  // namespace conoscope::core
