// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "harness/core/artifacts/artifact.h"
#include "harness/core/border/fitted_plugin.h"
#include "harness/core/processes/protocol.h"

namespace conoscope::core {

/// What the conformance suite of plugin_check.h does to a plugin beyond the ordinary call; the name of
/// one in functions(): calls it, too.
namespace trial {
inline constexpr std::string_view kOrdinary = "ordinary";    ///< nothing
inline constexpr std::string_view kLoad = "load";            ///< load, make an instance, stop
inline constexpr std::string_view kStrided = "strided";      ///< inputs that are not contiguous
inline constexpr std::string_view kNan = "nan";              ///< NaN among the inputs
inline constexpr std::string_view kNoRows = "no_rows";       ///< an empty training split
inline constexpr std::string_view kCancelled = "cancelled";  ///< the host says so from the start
inline constexpr std::string_view kMemory = "memory";        ///< the same call many times
}  // namespace trial

/// A worker that tries a plugin on a toy subject: a job as of a run, in which the toy's own model
/// answers an explainer's calls.
///
/// seconds  for the trial that calls the plugin many times
int run_trial(const std::filesystem::path& job_file, const std::string& trial, double seconds);

/// Changes the plugin's input as the trial wants it; other trials change nothing.
///
/// strided  activations, head_weight and inputs keep their values and lie apart in memory, with NaN
///          between them; but for a model (indexed = false) with a row index, the last row first
/// nan      the first number of activations and inputs becomes NaN
/// no_rows  every array with a row for each sample loses its rows, and train_index its entries
void alter_input(ArrayBag& bag, std::string_view trial, bool indexed = true);

/// Tries what a plugin answers after its fit, on the first rows that its fit was given.
///
/// trial  a function's name, but head and redrawn_head (head_trial.h)
/// throws  OutputFault: the answers of two equal calls differ, depend on the rows around, or are not
///         what fit() left, or a derivative is not that of its function; CallFault (not applicable):
///         the plugin has no such call
void try_function(std::string_view trial, FittedPlugin& plugin, const ArrayBag& left,
                  const ArrayBag& input, const Reporter& report);

}  // namespace conoscope::core
