#pragma once

#include <filesystem>

namespace conoscope::core {

/// Does one job in this process and reports. Returns the exit code.
int run_worker(const std::filesystem::path& job_file);

}  // namespace conoscope::core
