// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace conoscope::core {

// A small file that says by itself whether it is as it was written: its first line is the hash of the
// rest.

/// Replaces what is there; an empty text leaves no file.
/// throws  std::runtime_error: it cannot be written
void write_hashed(const std::filesystem::path& file, const std::string& text);

/// Empty: it is not there as it was written.
std::string read_hashed(const std::filesystem::path& file);

}  // namespace conoscope::core
