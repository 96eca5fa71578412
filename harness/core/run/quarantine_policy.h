// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/core/processes/worker_process.h"

namespace conoscope::core {

// What the end of a job says of its plugin.

/// It was killed by a signal that others send: an out-of-memory killer, a batch system.
bool ended_by_others(const JobEnd& end);

/// The job's own plugin killed or hung its process as it was loaded: twice, and it goes into quarantine.
/// Once may be a library that somebody replaces at this moment.
///
/// seconds  the limit of the job: one shorter than a second or two says nothing about a library on a
///          busy machine
bool died_by_loading(const JobEnd& end, double seconds);

}  // namespace conoscope::core
