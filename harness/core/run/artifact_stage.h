#pragma once

#include <filesystem>
#include <vector>

#include "harness/core/border/loader.h"
#include "harness/core/processes/job.h"
#include "harness/core/processes/protocol.h"

namespace conoscope::core {

/// A dataset, model or explain job in the process that runs the plugin: calls it, once for each of
/// these folders, and leaves its arrays there. What it is given is all of the job's inputs that is
/// left in this process once a library is loaded.
/// throws  LoadFault, CallFault, OutputFault; std::runtime_error: the disk or an input is at fault
void make_artifact(const Job& job, HostCalls& host, const Reporter& report,
                   const std::vector<std::filesystem::path>& folders);

/// Looks at what a plugin has left, once its process has ended.
/// throws  OutputFault
void check_artifact(const Job& job, const std::filesystem::path& folder);

/// Where a job has its plugin leave the same arrays once more.
std::filesystem::path again_folder(const Job& job);
/// throws  OutputFault: the files differ
void compare_artifacts(const std::filesystem::path& folder, const std::filesystem::path& again);

}  // namespace conoscope::core
