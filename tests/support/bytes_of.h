// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace conoscope::testing {

/// All of a file, which has to be there.
inline std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  REQUIRE_MESSAGE(in.good(), file.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace conoscope::testing
