#include "harness/core/artifacts/cache.h"

#include <chrono>
#include <iostream>
#include <vector>

#include "harness/app/command.h"
#include "harness/app/options.h"
#include "harness/core/artifacts/manifest.h"

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
  std::uint64_t bytes = 0, count = 0;
  std::vector<fs::path> folders{folder / "artifacts"};
  while (!folders.empty()) {
    std::error_code error;  // gone, where another process trims, or closed to us: passed over
    fs::directory_iterator at(folders.back(), error), end;
    folders.pop_back();
    for (; !error && at != end; at.increment(error)) {
      std::error_code gone;
      const auto status = at->symlink_status(gone);
      if (fs::is_directory(status)) folders.push_back(at->path());
      if (!fs::is_regular_file(status)) continue;
      if (const auto size = at->file_size(gone); !gone) bytes += size;
      count += at->path().filename() == core::kManifest;
    }
  }
  std::cout << folder.string() << ": " << count << " artifacts, " << bytes << " bytes\n";
  return kOk;
}

}  // namespace conoscope::app
