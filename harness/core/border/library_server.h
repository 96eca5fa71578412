// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>

#include "harness/core/artifacts/artifact.h"
#include "harness/core/border/loader.h"
#include "harness/core/processes/job.h"

namespace conoscope::core {

// The plugin's side of the wire, for libraries.

/// What stands in the place of a status, in a fault that is not the plugin's own refusal: it left what
/// no artifact can hold; the host could not write it.
inline constexpr const char *kOutputFault = "output", *kHostFault = "host";

/// The text by which an explanation says which functions its explainer has besides fit(), written by
/// the host: `project`, `reconstruct`, both with a comma between, or kNoFunctions. Whoever scores it
/// needs the plugin for these alone.
inline constexpr const char* kFunctionsText = "explainer_functions";
inline constexpr const char* kNoFunctions = "none";
void write_functions(const cono_sink& sink, const std::set<std::string, std::less<>>& abilities);

/// Answers on kReportFd until nobody asks any more; then the process ends.
///
/// arrays   what the plugin is given, or has left earlier
/// prepare  called before the library is loaded
[[noreturn]] void serve_library(const PluginUse& use, const Metadata& metadata, const Host& host,
                                const ArrayBag& arrays, const std::function<void()>& prepare);

}  // namespace conoscope::core
