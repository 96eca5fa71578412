// SPDX-License-Identifier: Apache-2.0
#include "results/store/file_system.h"

#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

namespace conoscope::results {

bool is_local_disk(const std::filesystem::path& path) {
  struct statfs info {};
  if (statfs(path.c_str(), &info) != 0) return false;
  // The magic numbers of statfs(2).
  constexpr std::array<std::uint32_t, 11> kLocal = {
      0xEF53,      // ext2, ext3, ext4
      0x58465342,  // xfs
      0x9123683E,  // btrfs
      0x2FC12FC1,  // zfs
      0xF2F52010,  // f2fs
      0xCA451A4E,  // bcachefs
      0x52654973,  // reiserfs
      0x3153464A,  // jfs
      0x01021994,  // tmpfs
      0x858458F6,  // ramfs
      0x794C7630,  // overlay: containers, on top of a local one
  };
  return std::find(kLocal.begin(), kLocal.end(), static_cast<std::uint32_t>(info.f_type)) !=
         kLocal.end();
}

bool is_writable(const std::filesystem::path& path) {
  return faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path();
  return folder.empty() ? std::filesystem::path(".") : folder;
}

std::filesystem::path target_of(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_symlink(file, error)) return file;
  const std::filesystem::path target = std::filesystem::weakly_canonical(file, error);
  return error ? file : target;
}

std::string sqlite_uri(const std::filesystem::path& path, const std::string& options) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '/' || c == '-' || c == '_' || c == '.') {
      uri += c;
    } else {
      uri += '%';
      uri += "0123456789ABCDEF"[byte >> 4];
      uri += "0123456789ABCDEF"[byte & 15];
    }
  }
  return uri + "?" + options;
}

}  // namespace conoscope::results
