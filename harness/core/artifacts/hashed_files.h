// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>

namespace conoscope::core {

/// The large files of a cache that one run has hashed. As long as a file's inode, size and times stay,
/// so does its content: the next worker that opens it need not look at every byte again. Kept as a text
/// file, to which workers add lines.
class HashedFiles {
 public:
  /// list  is read; empty: nothing is known, and nothing kept
  explicit HashedFiles(std::filesystem::path list = {});

  /// Has the file this hash? As is known, or as `hash` finds.
  bool holds(const std::filesystem::path& file, const std::string& sha256,
             const std::function<std::string()>& hash);

 private:
  std::filesystem::path list_;
  std::set<std::string, std::less<>> known_;  ///< "stamp hash"
};

}  // namespace conoscope::core
