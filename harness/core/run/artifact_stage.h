#pragma once

#include <filesystem>

#include "harness/core/border/loader.h"
#include "harness/core/processes/job.h"
#include "harness/core/processes/protocol.h"

namespace conoscope::core {

/// A worker's dataset, model or explain job: calls the plugin, which leaves its arrays in `folder`,
/// and looks at what it left.
/// throws  LoadFault, CallFault, OutputFault; std::runtime_error: the disk or an input is at fault
void make_artifact(const Job& job, HostCalls& host, const Reporter& report,
                   const std::filesystem::path& folder);

/// The same job once more, and a comparison with the files in `folder`.
/// throws  OutputFault: they differ; as make_artifact()
void repeat_and_compare(const Job& job, HostCalls& host, const Reporter& report,
                        const std::filesystem::path& folder);

}  // namespace conoscope::core
