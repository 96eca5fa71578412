// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "harness/core/artifacts/artifact.h"
#include "harness/core/border/loader.h"
#include "harness/core/processes/job.h"
#include "harness/core/processes/protocol.h"
#include "harness/core/run/subject.h"

namespace conoscope::core {

/// A score job: makes the subject's views of the test split, lets the built-in metrics or one metric
/// plugin judge them, and reports every score. Plugins answer from processes of their own.
/// throws  LoadFault, CallFault, OutputFault, PluginEnded; std::runtime_error: an input is at fault
void score(const Job& job, const Host& host, const Reporter& report);

/// How many rows scores are of: "360 rows are judged, 1437 trained on". Said in the log of every
/// score job.
std::string judged_rows(std::int64_t train, std::int64_t test);

/// What a metric plugin is given of a subject, which must outlive it.
ArrayBag metric_input(JudgedSubject& subject, const Metadata& metric);
/// Which annotations an archive holds is known only when it is open: what the metric needs and the
/// input has not, in words; empty: nothing.
std::string missing_annotation(const Metadata& metric, const ArrayBag& input);

}  // namespace conoscope::core
