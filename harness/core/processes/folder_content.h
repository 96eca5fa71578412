// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <system_error>

namespace conoscope::core {

/// What lies in a folder.
struct FolderContent {
  std::uint64_t lengths = 0;  ///< of files, in bytes
  std::uint64_t on_disk = 0;  ///< what they take there: fallocate() takes more than is seen
  std::size_t entries = 0;
  bool whole = true;  ///< false: something could not be looked at this time
  std::error_code error;
};
/// Looks at no more entries than these. Links are not followed.
FolderContent folder_content(const std::filesystem::path& root, std::size_t most_entries);

}  // namespace conoscope::core
