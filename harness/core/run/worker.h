#pragma once

#include <filesystem>

namespace conoscope::core {

/// The file descriptor on which a worker reports, as lines of make_line():
///
///   stage    <word>                 what it is doing now: load, fit, save, score, ...
///   progress <done in [0, 1]>
///   score    <name> <value as hexadecimal floating point> <reason> <message>
///   part     <name> <index> <value>
///   fault    <status> <message>     why there is no result
///   done     <count>                the completion record; without it the worker has crashed,
///                                   whatever its exit code
inline constexpr int kReportFd = 3;

/// Does one job in this process and reports. Returns the exit code.
int run_worker(const std::filesystem::path& job_file);

}  // namespace conoscope::core
