#pragma once

#include <filesystem>
#include <string>

namespace conoscope::core {

/// What a data file holds, as a hash: that of its bytes; of a folder, that of the names and bytes
/// of all files in and below it, in the order of their names. Each file is read once by a process,
/// and again when its size or time has changed.
///
/// throws  std::runtime_error: something cannot be read (names it and says why)
std::string content_hash(const std::filesystem::path& file_or_folder);

}  // namespace conoscope::core
