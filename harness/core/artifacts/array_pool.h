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

  /// Makes one file of each large array of a sealed artifact and of what the pool has.
  void share(const std::filesystem::path& artifact) const;
  /// So that no artifact to come takes these files: one of them is damaged.
  void forget(const std::vector<ManifestEntry>& arrays) const;
  /// Removes the files that no artifact has any more.
  void sweep() const;

 private:
  std::filesystem::path path_of(const std::string& sha256) const;
  std::filesystem::path root_;
};

}  // namespace conoscope::core
