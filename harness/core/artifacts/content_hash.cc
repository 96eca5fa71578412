#include "harness/core/artifacts/content_hash.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <system_error>

#include "harness/core/artifacts/sha256.h"

namespace conoscope::core {

namespace fs = std::filesystem;

namespace {

std::string content_of_file(const fs::path& file) {
  struct Known {
    std::uintmax_t size = 0;
    fs::file_time_type written;
    std::string hash;
  };
  static std::map<fs::path, Known> files;
  std::error_code error;
  const auto size = fs::file_size(file, error);
  const auto written = fs::last_write_time(file, error);
  Known& known = files[file];
  if (error || known.hash.empty() || known.size != size || known.written != written)
    known = {size, written, sha256_of_file(file)};
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

std::string content_of_folder(const fs::path& folder) {
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
    else if (at->is_symlink(error) && leads_back(at->path()))
      at.disable_recursion_pending();
  }
  if (error) throw std::runtime_error(folder.string() + ": " + error.message());
  Sha256 hash;
  for (const auto& [name, file] : files) hash.field(name).field(content_of_file(file));
  return hash.hex();
}

}  // namespace

std::string content_hash(const fs::path& file_or_folder) {
  return fs::is_directory(file_or_folder) ? content_of_folder(file_or_folder)
                                          : content_of_file(file_or_folder);
}

}  // namespace conoscope::core
