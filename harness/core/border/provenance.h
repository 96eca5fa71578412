// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/core/border/registry.h"

namespace conoscope::core {

// What has a part in a number beside what is in its identity: machine, system and build, and what a
// plugin is run with.

/// This machine, system and build, a "name: value" line each: the text of an environment row.
///
/// process_plugins  lines of what runs scripts (runtime_text()), each with a line end before it
std::string environment_text(bool confine, const std::string& process_plugins = "");

/// The lines of such a text without those that change no bit of an artifact: the name of the
/// processor (its features and caches count), the kernel, confinement, and plugins of whatever run.
std::string deciding_lines(const std::string& environment);

/// What beside its own file has a part in a plugin's numbers, as AttemptRow::binaries has it (see
/// results/store/binaries.h): " libscale.so=0123456789abcdef", " python=3.11.2 numpy=1.24.2". Nothing
/// where no interpreter is found: the plugin's cells say so.
std::string parts_text(const PluginFile& plugin);

/// What made an artifact: the environment, and a line of the plugins that it and its inputs come from.
///
/// plugins  in the order of the stages, as AttemptRow::binaries has them
std::string made_by_text(const std::string& environment, const std::string& plugins);

/// Sixteen hexadecimal digits over what decides of that text.
std::string making_of(const std::string& made_by);

}  // namespace conoscope::core
