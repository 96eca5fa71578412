// SPDX-License-Identifier: Apache-2.0
#include "harness/core/processes/folder_content.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>
#include <vector>

namespace conoscope::core {

FolderContent folder_content(const std::filesystem::path& root, std::size_t most_entries) {
  FolderContent out;
  std::vector<std::filesystem::path> folders{root};
  const auto failed = [&out](const std::error_code& error) {
    // Gone by now, or for another moment.
    constexpr int kPassing[] = {ENOENT, ENOTDIR, EMFILE, ENFILE, ESTALE, EINTR};
    if (std::ranges::find(kPassing, error.value()) != std::end(kPassing))
      out.whole = false;
    else
      out.error = error;
  };
  while (!folders.empty() && !out.error && out.entries < most_entries) {
    const std::filesystem::path folder = std::move(folders.back());
    folders.pop_back();
    std::error_code error;
    std::filesystem::directory_iterator at(folder, error), end;
    for (; !error && at != end && !out.error && out.entries < most_entries; at.increment(error)) {
      ++out.entries;
      struct stat info {};
      if (::lstat(at->path().c_str(), &info) != 0) {
        failed({errno, std::generic_category()});
      } else if (S_ISDIR(info.st_mode)) {
        folders.push_back(at->path());
      } else if (S_ISREG(info.st_mode)) {
        constexpr std::uint64_t kBlock = 512;
        out.lengths += static_cast<std::uint64_t>(info.st_size);
        out.on_disk += static_cast<std::uint64_t>(info.st_blocks) * kBlock;
      }
    }
    if (error) failed(error);
  }
  return out;
}

}  // namespace conoscope::core
