// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/processes/job.h"
#include "harness/core/processes/process.h"
#include "harness/core/processes/protocol.h"

namespace conoscope::core {

/// What a worker may use. The names are those that messages give the limits.
struct WorkerLimits {
  double seconds = 600;
  std::uint64_t memory = std::uint64_t{8} << 30;  ///< bytes resident
  std::uint64_t disk = std::uint64_t{20} << 30;   ///< bytes written, all files together
  bool confine = true;                            ///< as far as the kernel can, see confinement.h
  /// In the foreground, without limits of time, memory and disk: it shares the terminal.
  bool foreground = false;
  std::vector<std::string> debugger = {};  ///< the command that the worker's is given to
  std::vector<std::string> trial = {};     ///< further words of the worker's command, see trials.h
  std::string seconds_name = "limits.seconds", memory_name = "limits.memory",
              disk_name = "limits.cache";
};

/// What a job ended with.
struct JobEnd {
  results::Status status = results::Status::ok;
  std::string step;                ///< what the worker was doing: load, fit, score, ...
  std::string stage;               ///< the same after the job's stage, as "explain: fit"
  std::string message;             ///< why, in words; empty when it is ok
  std::string log;                 ///< the ends of standard error and standard output
  std::uint64_t stdout_bytes = 0;  ///< what was written to standard output, which is not done
  std::optional<std::int64_t> signal, exit_code;
  double seconds = 0;
  std::uint64_t peak_memory = 0;
  std::vector<results::ScoreRow> scores;
  std::vector<results::SampleScoreRow> parts;

  /// It was the process that ended, not the work: killed, gone or hanging.
  bool died() const {
    return status == results::Status::crashed || status == results::Status::timeout;
  }
};

/// A job in a process of its own: started, listened to, held to its limits and judged at its end.
/// The destructor kills what still runs. job.work must exist.
class WorkerProcess {
 public:
  /// executable  the command that knows `worker`; the default is this process's own
  /// throws      std::runtime_error: the job cannot be written or the process not be started
  WorkerProcess(const Job& job, const WorkerLimits& limits,
                const std::string& executable = "/proc/self/exe");

  /// To be polled for reading while it is open().
  int report_fd() const { return process_.report_fd(); }
  bool open() const { return !process_.closed(); }
  double progress() const { return reports_.progress; }

  /// Asks it to stop (SIGTERM, which a plugin hears as cancelled()); killed after `grace` seconds.
  void stop(double grace);

  /// Takes in what was reported, without waiting. The verdict once the process has ended.
  std::optional<JobEnd> pump();

 private:
  double seconds() const;
  /// Bytes in the work folder; 0 when it was looked at a moment ago.
  std::uint64_t written();
  void enforce_limits();
  JobEnd judge(const Exit& exit) const;

  WorkerLimits limits_;
  std::uint64_t threads_;  ///< that it may have, with all that it starts
  std::string stage_;
  std::filesystem::path work_;
  std::chrono::steady_clock::time_point started_;
  ChildProcess process_;
  Reports reports_;
  enum class Killed {
    kNot,
    kTime,
    kMemory,
    kThreads,
    kReports,
    kOutput,
    kDisk
  } killed_ = Killed::kNot;
  std::string uncounted_;  ///< what the worker has made that written() does not look at
  int partial_looks_ = 0;  ///< in a row: looks at the disk that did not see everything
  bool stopped_ = false;
  double looked_at_ = 0, disk_looked_at_ = 0;
  std::uint64_t most_held_ = 0;  ///< bytes, of all its processes
};

/// Starts the job and waits for its end.
JobEnd run_job(const Job& job, const WorkerLimits& limits, const std::string& executable);

}  // namespace conoscope::core
