// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/hashed_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <stdexcept>

#include "harness/core/artifacts/content_hash.h"
#include "harness/core/write_all.h"

namespace conoscope::core {

namespace fs = std::filesystem;

namespace {

// A smaller file is hashed sooner than its times can tell.
constexpr std::uint64_t kLarge = std::uint64_t{1} << 20;

/// Nothing where the file has just been taken away.
std::optional<Stamp> stamp_if_there(const fs::path& file) try {
  return stamp_of_file(file);
} catch (const std::runtime_error&) {
  return std::nullopt;
}

}  // namespace

HashedFiles::HashedFiles(fs::path list) : list_(std::move(list)) {
  std::ifstream in(list_);
  for (std::string line; !list_.empty() && std::getline(in, line);) known_.insert(line);
}

bool HashedFiles::holds(const fs::path& file, const std::string& sha256,
                        const std::function<std::string()>& hash) {
  const auto stamp = list_.empty() ? std::nullopt : stamp_if_there(file);
  if (!stamp || stamp->bytes < kLarge) return hash() == sha256;
  const std::string line = stamp->text + ' ' + sha256;
  if (known_.contains(line)) return true;
  const timespec begun = now();
  if (hash() != sha256) return false;
  const auto after = stamp_if_there(file);
  if (!times_tell(stamp->newest, begun) || !after || after->text != stamp->text) return true;
  known_.insert(line);
  const int fd = ::open(list_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (fd < 0) return true;  // whoever comes next hashes it again
  const std::string whole = line + '\n';
  write_all(fd, whole.data(), whole.size());
  ::close(fd);
  return true;
}

}  // namespace conoscope::core
