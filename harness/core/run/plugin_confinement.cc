// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/plugin_confinement.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

#include "harness/core/border/loader.h"
#include "harness/core/border/metadata.h"
#include "harness/core/border/needed_libraries.h"
#include "harness/core/processes/confinement.h"

namespace conoscope::core {

namespace {

namespace fs = std::filesystem;

/// A file or folder among a plugin's parameters, with what links in the folder lead to.
void add_data(const fs::path& path, std::vector<fs::path>& out) {
  if (path.empty()) return;  // an optional one that was not given
  out.push_back(path);
  std::error_code error;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end;
       at.increment(error))
    if (at->is_symlink(error)) out.push_back(at->path());
}

/// The libraries that the loader finds there, and nothing else: a run path may as well be "/".
void add_libraries(const fs::path& folder, std::vector<fs::path>& out) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename().string().find(".so") == std::string::npos) continue;
    std::error_code gone;
    const fs::path file = fs::canonical(at->path(), gone);  // a link may lead anywhere
    if (file.filename().string().find(".so") != std::string::npos &&
        fs::is_regular_file(file, gone))
      out.push_back(file);
  }
}

}  // namespace

void confine_plugin(const Job& job, const PluginUse& use, const Metadata& metadata,
                    const fs::path& scratch) {
  ::prctl(PR_SET_DUMPABLE, 1);  // the supervisor counts its mappings, and one may debug it
  if (job.disk > 0) {
    const rlimit file{job.disk, job.disk};
    ::setrlimit(RLIMIT_FSIZE, &file);
  }
  if (!job.confine) return;
  Confinement wanted;
  // What a job works on is open by now: the plugin is given it, and no more of it.
  add_data(plugin_content(use.file), wanted.read);
  bool reads_data = false;
  for (std::size_t i = 0; i < metadata.parameters.size() && i < use.values.size(); ++i)
    if (const auto* path = std::get_if<std::string>(&use.values[i]);
        path != nullptr && metadata.parameters[i].is_path())
      add_data(*path, wanted.read), reads_data |= !path->empty();
  if (use.command.empty()) {
    std::vector<fs::path> libraries = {use.file};
    // What a plugin loads to read data (datasets/formats/reader_library.h) lies beside it.
    if (reads_data)
      for (const char* reader : kReaderLibraries)
        libraries.push_back(wanted.read.emplace_back(use.file.parent_path() / reader));
    for (const auto& library : libraries)
      for (const auto& folder : library_folders(library)) add_libraries(folder, wanted.read);
  } else {
    for (const auto& folder : use.folders) wanted.read.emplace_back(folder);
    wanted.programs = {use.command[0]};
  }
  wanted.write = {scratch};
  // What a script leaves, the worker writes.
  if (use.command.empty() && job.plugin && use.file == job.plugin->file)
    wanted.write.insert(wanted.write.end(), {job.work / "artifact", job.work / "again"});
  wanted.network = metadata.may_access("network");
  wanted.processes = metadata.may_access("processes");
  confine(wanted);
}

}  // namespace conoscope::core
