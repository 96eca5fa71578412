#pragma once

#include <cstddef>

#include "harness/core/border/loader.h"
#include "harness/core/processes/job.h"
#include "harness/core/processes/protocol.h"

namespace conoscope::core {

/// A worker's score job: makes the subject's views of the test split, lets the built-in metrics or
/// one metric plugin judge them, and reports every score. Returns how many there were.
/// throws  LoadFault, CallFault, OutputFault; std::runtime_error: an input is at fault
std::size_t score(const Job& job, HostCalls& host, const Reporter& report);

}  // namespace conoscope::core
