#pragma once

#include <functional>

#include "conoscope/sdk/abi.h"
#include "harness/core/border/metadata.h"
#include "harness/core/processes/job.h"

namespace conoscope::core {

/// The tables of a plugin that a process of its own runs: each slot asks that process, in the
/// messages of docs/process-plugins.md. The process is started with the first call and stays as long
/// as this one; there is one plugin of this kind in a process, as there is of any.
///
/// Where it ends before its work is done, this process ends in the same way, by the same signal or
/// exit code: whoever waits for the one waits for both.
///
/// confine  called in the new process before it becomes the plugin's
/// throws   LoadFault: it cannot be started, says so itself, or speaks another protocol;
///          std::logic_error: another plugin is here
const cono_plugin* process_plugin(const PluginUse& use, const Metadata& metadata,
                                  const std::function<void()>& confine);

}  // namespace conoscope::core
