// SPDX-License-Identifier: Apache-2.0
#include "harness/core/artifacts/cache.h"

#include <chrono>
#include <iostream>

#include "harness/app/command.h"
#include "harness/app/options.h"

namespace conoscope::app {

namespace fs = std::filesystem;

int cache_command(const Arguments& arguments) {
  Options options(
      "cache [options]",
      "Shows where the artifacts are and how much they take, or removes the ones used\n"
      "longest ago; what a run in progress uses is kept. Nothing that cannot be made again\n"
      "is in the cache.",
      {"conoscope cache", "conoscope cache --trim 0"});
  options.with_cache();
  options.integer("trim", "BYTES", "keep at most so much");
  if (!options.parse(arguments)) return kOk;
  const fs::path folder = options.cache();
  if (options.has("trim")) {
    const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::cout << core::Cache(folder).trim(options.number("trim", 0), now + 1) << " bytes freed\n";
    return kOk;
  }
  const core::Cache::Size size = core::Cache::size(folder);
  std::cout << folder.string() << ": " << size.artifacts << " artifacts, " << size.on_disk
            << " bytes";
  if (size.referred > size.on_disk) std::cout << "; without shared arrays " << size.referred;
  std::cout << '\n';
  return kOk;
}

}  // namespace conoscope::app
