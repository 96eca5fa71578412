// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "numerics/sha256.h"

namespace conoscope::core {

/// The content identity of plugins, data files and everything derived from them.
using numerics::make_key;
using numerics::Sha256;

/// The hash of a text's bytes.
inline std::string sha256_of_text(std::string_view text) {
  Sha256 hash;
  hash.update(text);
  return hash.hex();
}

/// The hash of a file's bytes.
/// throws  std::runtime_error: the file cannot be read (names it and says why)
std::string sha256_of_file(const std::filesystem::path& file);

}  // namespace conoscope::core
