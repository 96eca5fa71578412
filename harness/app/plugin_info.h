// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/app/options.h"
#include "harness/core/border/registry.h"

namespace conoscope::app {

/// The plugins that the options lead to.
core::Registry scan_plugins(const Options& options, const core::Quarantine& quarantine);

/// A file, or an id of the search path, also as kind:id.
/// wanted  plugins of another kind do not count; none: any kind
/// throws  UsageError: neither, an id that several kinds have, or a file of another kind
core::PluginFile find_plugin(const std::string& name, const core::Registry& registry,
                             const core::Quarantine& quarantine,
                             std::optional<core::Kind> wanted = std::nullopt);

/// throws  core::PluginRefused: it cannot be used
void require_usable(const core::PluginFile& plugin);

/// What a plugin says of itself wherever its file lies: keys and values, and its parameters.
results::Table plugin_facts(const core::Metadata& data);
results::Table plugin_parameters(const core::Metadata& data);

/// Prints what a plugin with metadata says of itself: facts, parameters, scores.
void print_about(const core::PluginFile& plugin, results::Format format);

}  // namespace conoscope::app
