#pragma once

#include <filesystem>
#include <string>

#include "numerics/sha256.h"

namespace conoscope::core {

/// The content identity of plugins, data files and everything derived from them.
using numerics::Sha256;

/// The hash of a file's bytes.
/// throws  std::runtime_error: the file cannot be read (names it and says why)
std::string sha256_of_file(const std::filesystem::path& file);

/// 32 hexadecimal digits of the hash over fields: the key of a component, an artifact or a cell.
template <typename... Fields>
std::string make_key(const Fields&... fields) {
  Sha256 hash;
  (hash.field(fields), ...);
  return hash.hex().substr(0, 32);
}

}  // namespace conoscope::core
