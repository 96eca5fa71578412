#include "harness/core/artifacts/content_hash.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "harness/core/artifacts/sha256.h"

namespace conoscope::core {

namespace fs = std::filesystem;

namespace {

/// The time of the last change of the inode cannot be set: who replaces a file, or writes to it,
/// leaves another stamp, even with the old size and time of writing.
std::string stamp_of_file(const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0)
    throw std::runtime_error(file.string() + ": cannot be read: " + std::strerror(errno));
  const auto text = [](const timespec& time) {
    return std::to_string(time.tv_sec) + '.' + std::to_string(time.tv_nsec);
  };
  return std::to_string(info.st_ino) + ' ' + std::to_string(info.st_size) + ' ' +
         text(info.st_mtim) + ' ' + text(info.st_ctim);
}

std::string content_of_file(const fs::path& file) {
  struct Known {
    std::string stamp, hash;
  };
  static std::map<fs::path, Known> files;
  Known& known = files[file];
  const std::string stamp = stamp_of_file(file);
  if (known.stamp == stamp) return known.hash;
  std::string hash = sha256_of_file(file);
  if (stamp_of_file(file) != stamp)
    throw std::runtime_error(file.string() + ": was changed while it was read");
  known = {stamp, std::move(hash)};
  return known.hash;
}

constexpr std::size_t kMostEntries = 10'000'000;

/// A link to a folder that it is in itself.
bool leads_back(const fs::path& link) {
  std::error_code error;
  const fs::path target = fs::canonical(link, error);
  const fs::path place = fs::canonical(link.parent_path(), error);
  return std::mismatch(target.begin(), target.end(), place.begin(), place.end()).first ==
         target.end();
}

/// What is said of each file, over all files in and below a folder.
std::string over_folder(const fs::path& folder, std::string (*of_file)(const fs::path&)) {
  std::map<std::string, fs::path> files;  // by name, which is the order
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::follow_directory_symlink,
                                      error);
  std::size_t seen = 0;
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (++seen > kMostEntries)
      throw std::runtime_error(folder.string() + ": more than " + std::to_string(kMostEntries) +
                               " files");
    if (at->is_regular_file(error))
      files[at->path().lexically_relative(folder).generic_string()] = at->path();
    else if ((at->is_symlink(error) && leads_back(at->path())) ||
             at->path().filename() == "__pycache__")  // what Python makes of the files beside it
      at.disable_recursion_pending();
  }
  if (error) throw std::runtime_error(folder.string() + ": " + error.message());
  Sha256 hash;
  for (const auto& [name, file] : files) hash.field(name).field(of_file(file));
  return hash.hex();
}

std::string stamp_of(const fs::path& path) {
  return fs::is_directory(path) ? over_folder(path, stamp_of_file) : stamp_of_file(path);
}

}  // namespace

std::string content_hash(const fs::path& path) {
  return fs::is_directory(path) ? over_folder(path, content_of_file) : content_of_file(path);
}

InputFile look_at(const fs::path& path) {
  std::string stamp = stamp_of(path);
  std::string hash = content_hash(path);
  if (stamp_of(path) != stamp)
    throw std::runtime_error(path.string() + ": was changed while it was read");
  return {path, std::move(hash), std::move(stamp)};
}

UnchangedInputs::UnchangedInputs(std::vector<InputFile> inputs) : inputs_(std::move(inputs)) {
  for (InputFile& input : inputs_) {
    if (stamp_of(input.path) == input.stamp) continue;
    const InputFile now = look_at(input.path);
    if (now.hash != input.hash)
      throw std::runtime_error(input.path.string() +
                               ": was replaced after it was hashed; start again");
    input.stamp = now.stamp;
  }
}

void UnchangedInputs::check_again() const {
  for (const InputFile& input : inputs_)
    if (stamp_of(input.path) != input.stamp)
      throw std::runtime_error(input.path.string() +
                               ": was changed or replaced while it was used; run it again");
}

}  // namespace conoscope::core
