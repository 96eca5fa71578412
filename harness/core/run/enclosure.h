#pragma once

#include "harness/core/border/metadata.h"
#include "harness/core/processes/job.h"

namespace conoscope::core {

/// Before a plugin is loaded: what it may read, write, start and reach is settled for this process,
/// once. A later call changes nothing.
void enclose(const Job& job, const PluginUse& use, const Metadata& metadata);

}  // namespace conoscope::core
