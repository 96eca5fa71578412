// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/core/border/registry.h"
#include "harness/core/plan/component.h"

namespace conoscope::app {

// Plugins and their parameters as a command line has them.

/// The plugin with its parameters, as a run file that names them would have it.
/// throws  UsageError: what is wrong with the parameters
core::Component component_of(const core::PluginFile& plugin,
                             const std::vector<std::pair<std::string, std::string>>& params,
                             const core::Quarantine& quarantine);

/// "svd", "svd(k=3)"; "mlp(hidden=16,32,seed=1)": a comma also stands between the items of a list.
/// throws  UsageError: no such plugin, or what is wrong with the parameters; PluginRefused
core::Component component_from(const std::string& text, core::Kind kind,
                               const core::Registry& registry, const core::Quarantine& quarantine);

/// The items of "a,b(c=1,d=2)": a and b(c=1,d=2).
std::vector<std::string> split_list(const std::string& text);

}  // namespace conoscope::app
