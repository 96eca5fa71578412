// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace conoscope::testing {

/// The folder of real data that tests compare with: CONOSCOPE_DATA_DIR, else `otherwise`.
inline std::filesystem::path data_folder(const std::string& otherwise) {
  const char* folder = std::getenv("CONOSCOPE_DATA_DIR");
  return folder != nullptr && *folder != '\0' ? folder : otherwise;
}

}  // namespace conoscope::testing
