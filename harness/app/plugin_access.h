// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/app/options.h"
#include "harness/core/border/registry.h"

namespace conoscope::app {

/// Plugins say in their metadata what they must access beyond their own files. Each file is asked for
/// once: by --grant, or on a terminal; the answer is kept in the cache folder, by the file's content.
/// throws  core::PluginRefused: not granted, or nobody to ask
void ask_for_access(const std::vector<core::PluginFile>& plugins, const Options& options);
/// For all that a plan names.
void ask_for_access(const core::Plan& plan, const Options& options);

}  // namespace conoscope::app
