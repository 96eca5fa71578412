#include "harness/core/artifacts/hashed_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>

#include "harness/core/artifacts/content_hash.h"
#include "harness/core/write_all.h"

namespace conoscope::core {

namespace fs = std::filesystem;

namespace {

// A smaller file is hashed sooner than its times can tell.
constexpr std::uintmax_t kLarge = std::uintmax_t{1} << 20;

}  // namespace

HashedFiles::HashedFiles(fs::path list) : list_(std::move(list)) {
  std::ifstream in(list_);
  for (std::string line; !list_.empty() && std::getline(in, line);) known_.insert(line);
}

bool HashedFiles::holds(const fs::path& file, const std::string& sha256,
                        const std::function<std::string()>& hash) {
  std::error_code error;
  if (list_.empty() || fs::file_size(file, error) < kLarge || error) return hash() == sha256;
  const Stamp stamp = stamp_of_file(file);
  const std::string line = stamp.text + ' ' + sha256;
  if (known_.contains(line)) return true;
  const timespec begun = now();
  if (hash() != sha256) return false;
  if (!times_tell(stamp.newest, begun) || stamp_of_file(file).text != stamp.text) return true;
  known_.insert(line);
  const int fd = ::open(list_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  const std::string whole = line + '\n';
  if (fd < 0) return true;  // whoever comes next hashes it again
  write_all(fd, whole.data(), whole.size());
  ::close(fd);
  return true;
}

}  // namespace conoscope::core
