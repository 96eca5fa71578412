// SPDX-License-Identifier: Apache-2.0
// A source that no CMakeLists.txt names is missing from its library in silence; the program that
// needs it may be a plugin, which then fails only when it is loaded.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace fs = std::filesystem;

namespace {

/// The CMakeLists.txt that is responsible for the file: the nearest one at or above its folder.
std::string list_for(const fs::path& file) {
  for (fs::path folder = file.parent_path();; folder = folder.parent_path())
    if (std::ifstream in(folder / "CMakeLists.txt"); in)
      return {std::istreambuf_iterator<char>(in), {}};
}

/// As x.cc, or as a word of a list from which ${name}.cc is made.
bool is_listed(const fs::path& file) {
  return std::regex_search(list_for(file), std::regex("\\b" + file.stem().string() + "\\b"));
}

}  // namespace

TEST_CASE("every source is listed where its folder is built") {
  const fs::path root = CONOSCOPE_SOURCE_DIR;
  int seen = 0;
  for (const char* room : {"numerics", "metrics", "results", "harness", "plugins", "datasets"})
    for (const auto& entry : fs::recursive_directory_iterator(root / room)) {
      const fs::path& file = entry.path();
      if (file.extension() != ".cc" || file.string().find("plugins/template") != std::string::npos)
        continue;
      ++seen;
      CHECK_MESSAGE(is_listed(file), fs::relative(file, root).string(), " is listed nowhere");
    }
  CHECK(seen > 300);  // the tree was found
}
