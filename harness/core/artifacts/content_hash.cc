#include "harness/core/artifacts/content_hash.h"

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

std::string content_of_folder(const fs::path& folder) {
  std::map<std::string, fs::path> files;  // by name, which is the order
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::follow_directory_symlink,
                                      error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error))
    if (at->is_regular_file(error))
      files[at->path().lexically_relative(folder).generic_string()] = at->path();
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
