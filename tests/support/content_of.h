// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace conoscope::testing {

/// All of a file; nothing where there is none.
inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();  // which ends, and throws nothing, where a process of /proc ends meanwhile
  return text.str();
}

}  // namespace conoscope::testing
