#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/border/loader.h"
#include "harness/core/processes/job.h"
#include "harness/core/processes/protocol.h"

namespace conoscope::core {

/// A score job: makes the subject's views of the test split, lets the built-in metrics or one metric
/// plugin judge them, and reports every score. The subject's own plugins answer from processes of
/// their own; a metric plugin is loaded into this one.
/// throws  LoadFault, CallFault, OutputFault, PluginEnded; std::runtime_error: an input is at fault
void score(const Job& job, HostCalls& host, const Reporter& report);

/// How many rows scores are of: "360 rows are judged, 1437 trained on". Said in the log of every
/// score job.
std::string judged_rows(std::int64_t train, std::int64_t test);

/// Looks at what a metric plugin's process has reported.
/// throws  OutputFault: not what the plugin's metadata say
void check_scores(const Job& job, const std::vector<results::ScoreRow>& scores);

}  // namespace conoscope::core
