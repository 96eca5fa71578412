// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/artifacts/manifest.h"

namespace conoscope::core {

/// The arrays of a cache by their content: <root>/arrays/<ab>/<sha256> is one more name of a file that
/// artifacts have, so that equal arrays lie on the disk once. Where a file system has no links, each
/// artifact keeps its own. Several processes may use one pool.
class ArrayPool {
 public:
  explicit ArrayPool(std::filesystem::path root) : root_(std::move(root)) {}

  /// Is it a large array, and there?
  bool has(const ManifestEntry& array) const;
  /// Empties a file of an artifact that is being made: its bytes need not go to the disk, for share()
  /// takes the pool's.
  /// throws  std::filesystem::filesystem_error
  static void leave_to_pool(const std::filesystem::path& file);
  /// Makes one file of each large array of a sealed artifact and of what the pool has.
  /// returns  false: an array was left to the pool, which has it no more
  /// throws   DamagedArtifact: it is not sealed
  bool share(const std::filesystem::path& artifact) const;
  /// So that no artifact to come takes these files: one of them is damaged.
  void forget(const std::vector<ManifestEntry>& arrays) const;
  /// Removes the files that no artifact has any more.
  void sweep() const;

 private:
  std::filesystem::path path_of(const std::string& sha256) const;
  std::filesystem::path root_;
};

}  // namespace conoscope::core
