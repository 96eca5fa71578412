// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "harness/core/border/metadata.h"
#include "harness/core/processes/job.h"

namespace conoscope::core {

/// In a plugin's process, before it is loaded: settles what it may read, write, start and reach.
void confine_plugin(const Job& job, const PluginUse& use, const Metadata& metadata,
                    const std::filesystem::path& scratch);

}  // namespace conoscope::core
