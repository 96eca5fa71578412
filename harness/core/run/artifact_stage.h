// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "harness/core/artifacts/artifact.h"
#include "harness/core/artifacts/manifest.h"
#include "harness/core/border/loader.h"
#include "harness/core/processes/job.h"
#include "harness/core/processes/protocol.h"

namespace conoscope::core {

/// A dataset, model or explain job: has its plugin leave an artifact in job.work / "artifact", with
/// job.repeat twice, adds what a model passes on, and looks at it once the plugin's processes have ended.
/// returns  the entries of what was passed on
/// throws  LoadFault, CallFault, OutputFault, PluginEnded; std::runtime_error: the disk or an input is at
///         fault
std::vector<ManifestEntry> make_artifact(const Job& job, const Host& host, const Reporter& report);

/// One of a job's artifacts.
/// throws  DamagedArtifact
ArrayBag input_of(const Job& job, const std::filesystem::path& artifact);

/// The arrays that a plugin has left.
/// throws  OutputFault
ArrayBag left_in(const std::filesystem::path& folder);

}  // namespace conoscope::core
