#pragma once

#include "harness/core/border/served_calls.h"
#include "harness/core/processes/job.h"
#include "harness/core/processes/protocol.h"

namespace conoscope::core {

/// Has a process of its own call the job's plugin, and looks at what it leaves once it has ended.
///
/// throws  PluginFault: the plugin has said why it gives no result; PluginEnded: its process ended
///         before it could; OutputFault, DamagedArtifact: what it left is not what it should be
void oversee(const Job& job, HostCalls& host, const Reporter& report);

}  // namespace conoscope::core
