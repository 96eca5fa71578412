// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace conoscope::numerics {

/// The hash of a file's bytes.
/// throws  std::runtime_error: the file cannot be read (names it and says why)
std::string sha256_of_file(const std::filesystem::path& file);

}  // namespace conoscope::numerics
