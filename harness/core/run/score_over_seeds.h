// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "harness/core/processes/job.h"
#include "metrics/types.h"

namespace conoscope::core {

/// Scores the job's cell over seeds, from the arrays of its explanation and its peers', after the
/// control: psi is not asked for, so no plugin runs.
///
/// take   is given every score; ready: told when all is read
/// throws  std::runtime_error: no such metric; an artifact is at fault
void score_over_seeds(const Job& job, const std::function<void(const metrics::Score&)>& take,
                      const std::function<void()>& ready);

}  // namespace conoscope::core
