// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "harness/app/command.h"
#include "harness/app/folders.h"
#include "harness/app/options.h"

namespace conoscope::app {

namespace fs = std::filesystem;

int sdk_command(const Arguments& arguments) {
  Options options(
      "sdk [options]",
      "Prints where the headers and CMake files for plugins in C and C++ are that belong to\n"
      "this command: what find_package(conoscope) looks for, where it is not on a path that\n"
      "CMake searches, as in an environment of Python.",
      {"conoscope sdk --cmakedir"});
  options.flag("cmakedir", "the folder of conoscope-config.cmake alone");
  options.flag("includedir", "the folder of the headers alone");
  if (!options.parse(arguments)) return kOk;
  const fs::path prefix = share_folder().parent_path().parent_path();
  const bool both = options.has("cmakedir") == options.has("includedir");
  const auto print = [&](const fs::path& folder, const char* file) {
    if (!fs::exists(folder / file))
      throw UsageError("sdk: " + (folder / file).string() +
                       " is not there; Debian has it in the package conoscope-dev, and "
                       "`./dev install DIR` installs it, too");
    std::cout << folder.string() << '\n';
  };
  if (both || options.has("cmakedir"))
    print(prefix / "lib/cmake/conoscope", "conoscope-config.cmake");
  if (both || options.has("includedir")) print(prefix / "include", "conoscope/sdk/abi.h");
  return kOk;
}

}  // namespace conoscope::app
