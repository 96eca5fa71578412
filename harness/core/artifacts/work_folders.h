// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>

namespace conoscope::core {

/// 32 random hexadecimal digits: a name that no other process has, wherever it runs.
std::string random_name();

/// Removes it with all below, also where a plugin has made folders that their owner may not enter.
/// False: something is still there.
bool remove_tree(const std::filesystem::path& folder);

/// After that much without a sign of life, an owner on another machine counts as dead.
inline constexpr std::chrono::hours kSilence{7 * 24};

/// A folder of one process's own below a shared one, and a lock on it that ends when the process
/// does, however that happens. The destructor removes it; what a killed process left is removed by
/// the next one of the same machine, and by others when its owner has been silent for a week:
/// machines may share a folder and see no locks of each other, and a container that is gone has
/// taken its host name with it. Containers may have the same process ids and host names: names are
/// random, and whether an owner lives is asked of the lock.
class WorkFolders {
 public:
  /// throws  std::runtime_error: the folder cannot be made
  explicit WorkFolders(const std::filesystem::path& parent);
  ~WorkFolders();
  WorkFolders(const WorkFolders&) = delete;
  WorkFolders& operator=(const WorkFolders&) = delete;

  const std::filesystem::path& root() const { return root_; }
  /// A path below root() that is not there yet.
  std::filesystem::path next();

  /// Says to other machines that the owner lives; for long work, again and again.
  void keep_alive();

  /// Removes what dead processes of this machine left, and what owners elsewhere left that have been
  /// silent for kSilence.
  static void remove_abandoned(const std::filesystem::path& parent);

 private:
  std::filesystem::path root_, lock_file_;
  int lock_ = -1;
  int count_ = 0;
  std::chrono::steady_clock::time_point next_look_;
};

}  // namespace conoscope::core
