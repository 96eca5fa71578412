// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <system_error>

namespace conoscope::core {

/// Bytes of a file; 0 where there is none.
inline std::uint64_t size_of(const std::filesystem::path& file) {
  std::error_code none;
  const std::uintmax_t size = std::filesystem::file_size(file, none);
  return none ? 0 : size;
}

}  // namespace conoscope::core
