#pragma once

#include <filesystem>

namespace conoscope::core {

/// Does one job and reports on kReportFd: the plugin's part in a process of its own, its output's
/// checks and the metrics in this one. Returns the exit code.
int run_worker(const std::filesystem::path& job_file);

}  // namespace conoscope::core
