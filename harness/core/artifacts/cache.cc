#include "harness/core/artifacts/cache.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace conoscope::core {

namespace fs = std::filesystem;

namespace {

/// Several machines may share a cache, and a process id says nothing about another machine's.
std::string host_name() {
  utsname system{};
  ::uname(&system);
  return system.nodename;
}

}  // namespace

Cache::Cache(fs::path root) : root_(std::move(root)) {
  std::error_code error;
  fs::create_directories(root_ / "artifacts", error);
  if (!error) fs::create_directories(root_ / "work", error);
  if (error)
    throw std::runtime_error(root_.string() + ": the cache folder cannot be made: " +
                             error.message() + "; choose another with --cache");
  if (::access((root_ / "work").c_str(), W_OK) != 0)
    throw std::runtime_error(root_.string() + ": the cache folder cannot be written to: " +
                             std::strerror(errno) + "; choose another with --cache");
  // What a killed supervisor left behind: work folders are named after the process that made them.
  const std::string here = "@" + host_name();
  for (const auto& entry : fs::directory_iterator(root_ / "work", error)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(here)) continue;
    const long pid = std::strtol(name.c_str(), nullptr, 10);
    if (pid > 0 && ::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH)
      fs::remove_all(entry.path(), error);
  }
}

fs::path Cache::path_of(const fs::path& root, const std::string& key) {
  return root / "artifacts" / key.substr(0, 2) / key;
}

bool Cache::has(const fs::path& root, const std::string& key) {
  return fs::exists(path_of(root, key) / "texts.tsv");
}

fs::path Cache::new_work_path() const {
  static std::atomic<int> counter{0};
  fs::path folder =
      root_ / "work" /
      (std::to_string(::getpid()) + "." + std::to_string(++counter) + "@" + host_name());
  fs::remove_all(folder);
  return folder;
}

fs::path Cache::make_work_folder() const {
  const fs::path folder = new_work_path();
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

void Cache::commit(const fs::path& work, const std::string& key) const {
  const fs::path target = path_of(key);
  fs::create_directories(target.parent_path());
  std::error_code error;
  fs::rename(work / "artifact", target, error);
  if (!error || has(key)) return;
  if (error == std::errc::directory_not_empty || error == std::errc::file_exists) {
    fs::remove_all(target);  // half of an artifact: no texts.tsv
    fs::rename(work / "artifact", target, error);
  }
  if (error && !has(key))
    throw std::runtime_error(target.string() + ": cannot be made: " + error.message());
}

void Cache::touch(const std::string& key) const {
  ::utimensat(AT_FDCWD, (path_of(key) / "texts.tsv").c_str(), nullptr, 0);
}

std::uint64_t Cache::trim(std::uint64_t bytes, std::int64_t keep_since) const {
  struct Entry {
    std::int64_t used;
    std::uint64_t size;
    fs::path folder;
  };
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code error;
  for (const auto& prefix : fs::directory_iterator(root_ / "artifacts", error))
    for (const auto& folder : fs::directory_iterator(prefix.path(), error)) {
      Entry entry{0, 0, folder.path()};
      struct stat info {};
      if (::stat((folder.path() / "texts.tsv").c_str(), &info) == 0) entry.used = info.st_mtime;
      for (const auto& file : fs::directory_iterator(folder.path(), error))
        if (const auto size = file.file_size(error); !error) entry.size += size;
      total += entry.size;
      entries.push_back(std::move(entry));
    }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.used != b.used ? a.used < b.used : a.folder < b.folder;
  });
  std::uint64_t freed = 0;
  for (const Entry& entry : entries) {
    if (total - freed <= bytes || entry.used >= keep_since) break;
    // Out of the way first: a folder that loses one file after another would still look finished.
    const fs::path away = new_work_path();
    fs::rename(entry.folder, away, error);
    if (error) continue;
    fs::remove_all(away, error);
    freed += entry.size;
  }
  return freed;
}

}  // namespace conoscope::core
