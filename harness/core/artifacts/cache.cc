// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "harness/core/artifacts/hashed_text.h"
#include "harness/core/artifacts/manifest.h"

namespace conoscope::core {

namespace fs = std::filesystem;

namespace {

// Beside an artifact's arrays: see hashed_text.h.
constexpr const char* kLog = "log.txt";
constexpr const char* kInUse = "in_use.txt";  // a key a line, in a process's work folder

}  // namespace

Cache::Cache(fs::path root) : root_(std::move(root)) {
  std::error_code error;
  fs::create_directories(root_ / "artifacts", error);
  if (!error) fs::create_directories(root_ / "work", error);
  if (error)
    throw CacheError(root_.string() + ": the cache folder cannot be made: " + error.message() +
                     "; choose another with --cache");
  if (::access((root_ / "work").c_str(), W_OK) != 0)
    throw CacheError(root_.string() + ": the cache folder cannot be written to: " +
                     std::strerror(errno) + "; choose another with --cache");
  WorkFolders::remove_abandoned(root_ / "work");
}

WorkFolders& Cache::own() const {
  try {
    if (!own_) own_ = std::make_unique<WorkFolders>(root_ / "work");
  } catch (const std::runtime_error& e) {
    throw CacheError(std::string(e.what()) + "; choose another cache with --cache");
  }
  return *own_;
}

fs::path Cache::path_of(const fs::path& root, const std::string& key) {
  return root / "artifacts" / key.substr(0, 2) / key;
}

bool Cache::has(const fs::path& root, const std::string& key) {
  return fs::exists(path_of(root, key) / kManifest);
}

fs::path Cache::make_work_folder() const {
  const fs::path folder = own().next();
  fs::create_directories(folder / "scratch");
  return folder;
}

void Cache::reset_work_folder(const fs::path& work) const {
  for (const auto& entry : fs::directory_iterator(work)) {
    const fs::path name = entry.path().filename();
    if (name == "scratch" && fs::is_directory(entry.symlink_status())) {
      for (const auto& left : fs::directory_iterator(entry.path())) fs::remove_all(left.path());
    } else if (fs::is_regular_file(entry.symlink_status()) && entry.hard_link_count() == 1 &&
               (name == "job.toml" || name == "stdout.txt" || name == "stderr.txt")) {
      if (name != "job.toml" && entry.file_size() > 0) fs::resize_file(entry.path(), 0);
    } else {
      fs::remove_all(entry.path());
    }
  }
  fs::create_directory(work / "scratch");  // where the worker took it away
}

void Cache::commit(const fs::path& work, const std::string& key, const std::string& log,
                   bool confined) const {
  const fs::path target = path_of(key), made = work / "artifact";
  try {
    if (!arrays_.share(made))
      throw SharedArrayGone(target.string() + ": an array that was to be shared is gone");
  } catch (const DamagedArtifact&) {
    // which whoever opens it will find
  }
  write_hashed(made / kLog, log);
  if (!log.empty()) bring_to_disk(made);  // the rest is there since it was sealed
  fs::create_directories(target.parent_path());
  std::error_code error;
  fs::rename(made, target, error);
  // What is there without a manifest is no artifact. Moved and not emptied in place: another process
  // may be putting one there.
  const auto serves = [&] { return confined ? is_confined(root_, key) : has(key); };
  if (error && !serves() && remove(target)) fs::rename(made, target, error);
  if (error && !serves())
    throw std::runtime_error(target.string() + ": cannot be made: " + error.message());
}

bool Cache::is_confined(const fs::path& root, const std::string& key) {
  return has(root, key) && !read_hashed(path_of(root, key) / kConfined).empty();
}

std::string Cache::log_of(const std::string& key) const { return read_hashed(path_of(key) / kLog); }

std::string Cache::made_by(const std::string& key) const {
  return read_hashed(path_of(key) / kMadeBy);
}

std::optional<std::string> Cache::another_making(const std::string& identity) const {
  const fs::path folder = path_of(identity).parent_path();
  const auto [known, is_new] = names_.try_emplace(folder);
  std::error_code error;
  if (is_new)
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
      known->second.push_back(at->path().filename().string());
  std::optional<std::string> newest;
  std::int64_t used = 0;
  for (const std::string& name : known->second) {
    struct stat info {};
    if ((name == identity || name.starts_with(identity + "-")) &&
        ::stat((folder / name / kManifest).c_str(), &info) == 0 && info.st_mtime >= used) {
      newest = name;
      used = info.st_mtime;
    }
  }
  return newest ? std::optional(made_by(*newest)) : std::nullopt;
}

void Cache::keep_alive() const {
  if (own_) own_->keep_alive();
}

bool Cache::remove(const fs::path& artifact) const {
  const fs::path away = own().next();
  std::error_code error;
  fs::rename(artifact, away, error);
  if (error) return false;
  fs::remove_all(away, error);
  return true;
}

void Cache::discard(const std::string& key) const {
  try {
    arrays_.forget(read_manifest(path_of(key)));
  } catch (const DamagedArtifact&) {
    // whose arrays nobody knows
  }
  remove(path_of(key));
}

void Cache::touch(const std::string& key) const {
  ::utimensat(AT_FDCWD, (path_of(key) / kManifest).c_str(), nullptr, 0);
}

void Cache::declare_use(const std::vector<std::string>& keys) const {
  std::ofstream out(own().root() / kInUse);
  for (const std::string& key : keys) out << key << '\n';
}

namespace {

struct Entry {
  std::int64_t used = 0;
  fs::path folder;
  std::vector<std::pair<dev_t, ino_t>> files;
};

/// The artifacts of a cache, and of each of their files its size and how many have it. What is gone
/// meanwhile, or closed to us, is passed over.
struct Content {
  struct File {
    std::uint64_t size = 0;
    std::uint64_t artifacts = 0;
  };
  std::vector<Entry> entries;
  std::map<std::pair<dev_t, ino_t>, File> files;

  explicit Content(const fs::path& root) {
    std::error_code error;
    for (const auto& prefix : fs::directory_iterator(root / "artifacts", error))
      for (const auto& folder : fs::directory_iterator(prefix.path(), error)) {
        Entry entry{0, folder.path(), {}};
        for (const auto& name : fs::directory_iterator(folder.path(), error)) {
          struct stat info {};
          if (::lstat(name.path().c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
          if (name.path().filename() == kManifest) entry.used = info.st_mtime;
          File& file = files[{info.st_dev, info.st_ino}];
          file.size = static_cast<std::uint64_t>(info.st_size);
          ++file.artifacts;
          entry.files.emplace_back(info.st_dev, info.st_ino);
        }
        entries.push_back(std::move(entry));
      }
  }
};

}  // namespace

std::uint64_t Cache::trim(std::uint64_t bytes, std::int64_t keep_since,
                          const std::set<std::string>& keep) const {
  arrays_.sweep();
  Content content(root_);
  std::uint64_t total = 0;
  for (const auto& [id, file] : content.files) total += file.size;
  std::error_code error;
  std::set<std::string> in_use = keep;
  for (const auto& process : fs::directory_iterator(root_ / "work", error)) {
    if (process.path() == own().root()) continue;
    std::ifstream keys(process.path() / kInUse);
    for (std::string key; std::getline(keys, key);) in_use.insert(key);
  }
  std::sort(content.entries.begin(), content.entries.end(), [](const Entry& a, const Entry& b) {
    return a.used != b.used ? a.used < b.used : a.folder < b.folder;
  });
  std::uint64_t freed = 0;
  for (const Entry& entry : content.entries) {
    if (total - freed <= bytes || entry.used >= keep_since) break;
    if (in_use.count(entry.folder.filename().string()) != 0) continue;
    // Out of the way first: a folder that loses one file after another would still look finished.
    if (!remove(entry.folder)) continue;
    for (const auto& id : entry.files)
      if (Content::File& file = content.files[id]; --file.artifacts == 0) freed += file.size;
  }
  arrays_.sweep();
  return freed;
}

Cache::Size Cache::size(const fs::path& root) {
  Size out;
  const Content content(root);
  for (const Entry& entry : content.entries) out.artifacts += entry.used != 0;
  for (const auto& [id, file] : content.files) {
    out.on_disk += file.size;
    out.referred += file.size * file.artifacts;
  }
  return out;
}

}  // namespace conoscope::core
