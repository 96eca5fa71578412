// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

#include "harness/core/border/loader.h"
#include "harness/core/processes/job.h"
#include "harness/core/processes/protocol.h"

namespace conoscope::core {

/// What a worker does with its job.
using Work = std::function<void(const Job& job, const Host& host, const Reporter& report)>;

/// A worker's life: reads its job, settles its limits, works, and reports on kReportFd how that ended.
/// Ends the process.
int work_in_worker(const std::filesystem::path& job_file, const Work& work);

/// Does one job of a run: plugins in processes of their own, checks of what they leave and built-in
/// metrics in this one.
int run_worker(const std::filesystem::path& job_file);

}  // namespace conoscope::core
