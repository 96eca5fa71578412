// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "harness/core/artifacts/array_pool.h"
#include "harness/core/artifacts/work_folders.h"

namespace conoscope::core {

/// The cache cannot be used for work; reading what is in it may be possible.
class CacheError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What an artifact left to the pool of arrays was taken away before it had it. It can be made again.
class SharedArrayGone : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The content-addressed store of artifacts: <root>/artifacts/<ab>/<key>/. Several processes may
/// use one cache: an artifact appears whole, by a rename, or not at all. An array of several artifacts
/// is one file.
class Cache {
 public:
  /// throws  CacheError: the folder cannot be made or written to
  explicit Cache(std::filesystem::path root);

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path path_of(const std::string& key) const { return path_of(root_, key); }
  static std::filesystem::path path_of(const std::filesystem::path& root, const std::string& key);
  /// Is it there? Whether its bytes are still those that were written is seen when they are used.
  bool has(const std::string& key) const { return has(root_, key); }
  /// The same without making the folder, which may not be there.
  static bool has(const std::filesystem::path& root, const std::string& key);

  /// Is it there, and was its plugin confined when it was made? False as well where that is not recorded.
  bool is_confined(const std::string& key) const { return is_confined(root_, key); }
  static bool is_confined(const std::filesystem::path& root, const std::string& key);

  /// A new folder for one worker: its output is <folder>/artifact, its scratch <folder>/scratch.
  std::filesystem::path make_work_folder() const;
  /// Empties a work folder for the next worker: nothing is left of the last one but empty files, an
  /// empty scratch and a job.toml that the next job is written over. To reuse folders is not thrift
  /// but speed: ext4 avoids inodes that were freed in the last seconds, and searches long for
  /// others once many were.
  ///
  /// throws  std::runtime_error (std::filesystem::filesystem_error): something cannot be removed
  void reset_work_folder(const std::filesystem::path& work) const;
  /// Makes <work>/artifact the artifact of that key; if another process was faster, theirs stays,
  /// unless its plugin was not confined and this one was.
  /// log       what was said while it was made; it is on the disk before the artifact has its name
  /// confined  whether this run confines its plugins, by Landlock and seccomp
  /// throws    SharedArrayGone; std::runtime_error: the log cannot be written, or the artifact not be put
  ///           there
  void commit(const std::filesystem::path& work, const std::string& key,
              const std::string& log = "", bool confined = false) const;
  /// Empty: nothing was said, or it is not there as it was written.
  std::string log_of(const std::string& key) const;
  /// The same of what made it.
  std::string made_by(const std::string& key) const;
  /// What made the one used last of the artifacts whose key is the identity or begins with it and a
  /// "-"; nullopt: there is none. The folder's names are read once.
  std::optional<std::string> another_making(const std::string& identity) const;
  /// Takes a damaged artifact away, and what others would have of it.
  void discard(const std::string& key) const;

  /// Of the pool that artifacts are sealed with.
  std::filesystem::path arrays() const { return root_ / "arrays"; }
  /// Where this process's workers write down what they have hashed (hashed_files.h).
  std::filesystem::path hashed_files() const { return own().root() / "hashed.txt"; }

  /// Says to other machines that this process lives; for long work, again and again.
  void keep_alive() const;
  /// As long as this object lives, no other process's trim() removes these.
  void declare_use(const std::vector<std::string>& keys) const;
  /// Removes the artifacts that were used longest ago until at most `bytes` are left, never one
  /// used after `keep_since` (seconds since the epoch), declared in use by another process, or to `keep`.
  /// Returns the bytes freed; a file of several artifacts counts once, with the last of them.
  std::uint64_t trim(std::uint64_t bytes, std::int64_t keep_since,
                     const std::set<std::string>& keep = {}) const;
  /// Marks as used now.
  void touch(const std::string& key) const;

  struct Size {
    std::uint64_t artifacts = 0, referred = 0, on_disk = 0;  ///< bytes, but for their number
  };
  /// What the artifacts of a cache refer to, each by itself, and what lies on the disk.
  static Size size(const std::filesystem::path& root);

 private:
  WorkFolders& own() const;
  /// False: it is not there.
  bool remove(const std::filesystem::path& artifact) const;

  std::filesystem::path root_;
  ArrayPool arrays_{arrays()};
  mutable std::unique_ptr<WorkFolders> own_;  ///< once there is work to do
  mutable std::map<std::filesystem::path, std::vector<std::string>> names_;  ///< in folders of keys
};

/// A work folder of the cache, removed at the end.
class WorkFolder {
 public:
  explicit WorkFolder(const Cache& cache) : path_(cache.make_work_folder()) {}
  ~WorkFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace conoscope::core
