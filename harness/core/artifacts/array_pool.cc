// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/array_pool.h"

#include <system_error>

namespace conoscope::core {

namespace fs = std::filesystem;

namespace {

// Below this, a name costs more than the bytes.
constexpr std::uint64_t kLarge = std::uint64_t{64} << 10;

bool left_to_pool(const fs::path& file) { return fs::file_size(file) == 0; }

}  // namespace

fs::path ArrayPool::path_of(const std::string& sha256) const {
  return root_ / sha256.substr(0, 2) / sha256;
}

bool ArrayPool::has(const ManifestEntry& array) const {
  std::error_code error;
  return array.size >= kLarge && fs::file_size(path_of(array.sha256), error) == array.size;
}

void ArrayPool::leave_to_pool(const fs::path& file) { fs::resize_file(file, 0); }

bool ArrayPool::share(const fs::path& artifact) const {
  for (const ManifestEntry& entry : read_manifest(artifact)) {
    if (entry.size < kLarge) continue;
    const fs::path own = artifact / entry.name, pooled = path_of(entry.sha256),
                   between = own.string() + ".shared";
    std::error_code error;
    if (has(entry)) {
      fs::create_hard_link(pooled, between, error);
      if (error && left_to_pool(own))
        fs::copy_file(pooled, between, error);  // it has too many names
      if (!error) fs::rename(between, own, error);
      fs::remove(between,
                 error);  // still there after a failure, or where own was the pool's already
    }
    if (left_to_pool(own)) return false;
    if (!has(entry)) {
      fs::create_directories(pooled.parent_path(), error);
      fs::remove(pooled, error);
      fs::create_hard_link(own, pooled, error);
    }
  }
  return true;
}

void ArrayPool::forget(const std::vector<ManifestEntry>& arrays) const {
  std::error_code error;
  for (const ManifestEntry& entry : arrays) fs::remove(path_of(entry.sha256), error);
}

void ArrayPool::sweep() const {
  std::error_code error;
  for (const auto& prefix : fs::directory_iterator(root_, error))
    for (fs::directory_iterator at(prefix.path(), error), end; !error && at != end;
         at.increment(error)) {
      std::error_code gone;
      if (at->hard_link_count(gone) == 1 && !gone) fs::remove(at->path(), gone);
    }
}

}  // namespace conoscope::core
