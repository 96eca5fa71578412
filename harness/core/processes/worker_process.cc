// SPDX-License-Identifier: Apache-2.0
#include "harness/core/processes/worker_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "harness/core/file_size.h"
#include "harness/core/processes/confinement.h"
#include "harness/core/processes/descendants.h"
#include "harness/core/processes/folder_content.h"
#include "harness/core/processes/worker_environment.h"

namespace conoscope::core {

namespace {

using Clock = std::chrono::steady_clock;
using results::Status;

// Loading a library and making an instance is a matter of milliseconds; a minute is a hang.
constexpr double kLoadSeconds = 60;
constexpr std::size_t kLogTail = 4096;
// A worker that reports wakes its supervisor; to look at all its processes each time would cost as
// much as a small worker does.
constexpr double kLookSeconds = 0.03;
// How often the files that a worker has written are added up, and how many of them.
constexpr double kDiskSeconds = 0.5;
constexpr std::size_t kMostFilesCounted = 100'000;
constexpr int kMostPartialLooks = 20;
// The log keeps the end of it; what is beyond this only fills the disk.
constexpr std::uint64_t kMostOutput = std::uint64_t{64} << 20;

// What a job's processes may have of threads: a share of those that the user may have, so that nobody
// takes them all, and what a numerical library starts on a large machine.
constexpr std::uint64_t kFewestThreads = 64, kMostThreads = 1024, kShares = 4;

std::uint64_t thread_share(std::uint32_t threads_of_job) {
  rlimit user{};
  const bool limited = ::getrlimit(RLIMIT_NPROC, &user) == 0 && user.rlim_cur != RLIM_INFINITY;
  const std::uint64_t share = limited ? user.rlim_cur / kShares : kMostThreads;
  return std::max<std::uint64_t>(std::clamp(share, kFewestThreads, kMostThreads),
                                 std::uint64_t{4} * threads_of_job);
}

ChildProcess start_worker(Job job, const WorkerLimits& limits, const std::string& executable) {
  const auto file = job.work / "job.toml";
  job.disk = limits.disk;
  job.confine = limits.confine;
  write_job(job, file);
  OutputFiles output;
  if (!limits.foreground) output = {job.work / "stdout.txt", job.work / "stderr.txt"};
  std::vector<std::string> command = limits.debugger;
  // A debugger would take /proc/self/exe for itself.
  command.push_back(command.empty() ? executable : std::filesystem::canonical(executable).string());
  command.insert(command.end(), {"worker", file.string()});
  command.insert(command.end(), limits.trial.begin(), limits.trial.end());
  return ChildProcess(command, output, worker_environment(job));
}

/// What to do about a message that tells of a refusal by the limits or by confinement; else nothing.
std::string what_may_help(std::string_view message, const WorkerLimits& limits) {
  const auto tells_of = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words,
                               [&](auto word) { return message.find(word) != message.npos; });
  };
  if (tells_of({"File too large"}))
    return "; " + limits.disk_name + " = " + std::to_string(limits.disk >> 20) +
           " MiB is what a plugin may write";
  if (limits.confine && can_confine() &&
      tells_of({"Permission denied", "Operation not permitted", "in name resolution"}))
    return "; plugins are confined: they write to context.scratch, read what parameters of the "
           "type "
           "file or folder name, and need access = [\"network\"] or [\"processes\"] in their "
           "metadata for sockets or other programs";
  return "";
}

}  // namespace

WorkerProcess::WorkerProcess(const Job& job, const WorkerLimits& limits,
                             const std::string& executable)
    : limits_(limits),
      threads_(thread_share(job.threads)),
      stage_(to_string(job.stage)),
      work_(job.work),
      started_(Clock::now()),
      process_(start_worker(job, limits, executable)),
      reports_({job.metrics.begin(), job.metrics.end()}) {}

double WorkerProcess::seconds() const {
  return std::chrono::duration<double>(Clock::now() - started_).count();
}

std::optional<JobEnd> WorkerProcess::pump() {
  for (const auto& line : process_.read_lines()) reports_.take(line);
  const auto exit = process_.poll_exit();
  if (!exit) {
    enforce_limits();
    return std::nullopt;
  }
  while (!process_.closed()) {
    const auto lines = process_.read_lines();
    if (lines.empty()) break;
    for (const auto& line : lines) reports_.take(line);
  }
  return judge(*exit);
}

void WorkerProcess::stop(double grace) {
  process_.kill(SIGTERM);
  limits_.seconds = std::min(limits_.seconds, seconds() + grace);
  stopped_ = true;
}

std::uint64_t WorkerProcess::written() {
  if (seconds() - disk_looked_at_ < kDiskSeconds) return 0;
  disk_looked_at_ = seconds();
  const FolderContent found = folder_content(work_, kMostFilesCounted + 1);
  partial_looks_ = found.whole ? 0 : partial_looks_ + 1;
  if (found.error)
    uncounted_ = "a folder that cannot be read (" + found.error.message() + ")";
  else if (found.entries > kMostFilesCounted)
    uncounted_ = "more than " + std::to_string(kMostFilesCounted) + " files";
  else if (partial_looks_ == kMostPartialLooks)
    uncounted_ = "folders that are not to be seen whenever they are looked at";
  // A file system may take up to twice a file's length while it grows.
  return std::max(found.lengths, found.on_disk / 2);
}

void WorkerProcess::enforce_limits() {
  if (killed_ != Killed::kNot || (limits_.foreground && !stopped_)) return;
  const double allowed = reports_.step == "load" || reports_.step == "start"
                             ? std::min(kLoadSeconds, limits_.seconds)
                             : limits_.seconds;
  const bool look = seconds() - looked_at_ >= kLookSeconds;
  Held held;
  if (look) {
    looked_at_ = seconds();
    held = held_by(process_.pid());
    most_held_ = std::max(most_held_, held.memory);
  }
  if (seconds() > allowed)
    killed_ = Killed::kTime;
  else if (!look)
    return;
  else if (held.memory > limits_.memory && holds_more_than(limits_.memory, process_.pid()))
    killed_ = Killed::kMemory;
  else if (held.threads > threads_)
    killed_ = Killed::kThreads;
  else if (process_.flooded())
    killed_ = Killed::kReports;
  else if (written() > limits_.disk || !uncounted_.empty())
    killed_ = Killed::kDisk;
  else if (size_of(work_ / "stderr.txt") + size_of(work_ / "stdout.txt") > kMostOutput)
    killed_ = Killed::kOutput;
  else
    return;
  process_.kill(SIGKILL);
}

JobEnd WorkerProcess::judge(const Exit& exit) const {
  JobEnd end;
  end.seconds = seconds();
  // Of a process that was killed beside it, its parent never heard what it had held.
  end.peak_memory = std::max(exit.peak_memory, most_held_);
  end.step = reports_.step;
  end.stage = stage_ + ": " + reports_.step;
  end.log = tail_of(work_ / "stderr.txt", kLogTail);
  std::error_code error;
  const auto noise = std::filesystem::file_size(work_ / "stdout.txt", error);
  if (!error && noise > 0) {
    end.stdout_bytes = noise;
    end.log += (end.log.empty() || end.log.back() == '\n' ? "" : "\n") +
               std::string("--- standard output ---\n") + tail_of(work_ / "stdout.txt", kLogTail);
  }
  // What matters is how the plugin ended, in a process of its own.
  const Exit& last = reports_.plugin ? *reports_.plugin : exit;
  if (last.signal) end.signal = *last.signal;
  if (last.code) end.exit_code = *last.code;
  end.scores = reports_.scores;
  end.parts = reports_.parts;
  if (stopped_ && killed_ == Killed::kTime) {
    end.status = Status::interrupted;
    end.message = "told to stop, and killed because it did not";
  } else if (killed_ == Killed::kTime) {
    end.status = Status::timeout;
    end.message = "still running after " + to_text(Value(std::round(end.seconds * 10) / 10)) +
                  " s; the limit is " + limits_.seconds_name + " = " +
                  to_text(Value(limits_.seconds));
    if (reports_.step == "load") end.message = "did not finish loading: " + end.message;
  } else if (killed_ == Killed::kMemory) {
    end.status = Status::out_of_memory;
    end.message = "used more than " + limits_.memory_name + " = " +
                  std::to_string(limits_.memory >> 20) + " MiB";
  } else if (killed_ == Killed::kThreads) {
    end.status = Status::failed;
    end.message = "had more than " + std::to_string(threads_) +
                  " threads and processes at a time, which is its share of what the user may have";
  } else if (killed_ == Killed::kDisk) {
    end.status = Status::failed;
    end.message = uncounted_.empty()
                      ? "wrote more than " + limits_.disk_name + " = " +
                            std::to_string(limits_.disk >> 20) + " MiB"
                      : "made " + uncounted_ + ", so that " + limits_.disk_name + " cannot be held";
  } else if (killed_ == Killed::kReports) {
    end.status = Status::failed;
    end.message = "reported without end";
  } else if (killed_ == Killed::kOutput) {
    end.status = Status::failed;
    end.message = "wrote more than " + std::to_string(kMostOutput >> 20) +
                  " MiB to standard output and standard error";
  } else if (reports_.fault) {
    end.status = reports_.fault->first;
    end.message = reports_.fault->second + what_may_help(reports_.fault->second, limits_);
  } else if (last.signal) {
    end.status = Status::crashed;
    end.message = "killed by " + signal_text(*last.signal);
  } else if (!reports_.done || reports_.plugin) {
    end.status = Status::crashed;
    end.message = "the process exited with code " + std::to_string(last.code.value_or(-1)) +
                  " before its work was finished (no completion record)";
  } else if (last.code.value_or(-1) != 0) {
    end.status = Status::crashed;
    end.message = "the process exited with code " + std::to_string(*last.code) +
                  " after its work was finished";
  }
  return end;
}

JobEnd run_job(const Job& job, const WorkerLimits& limits, const std::string& executable) {
  WorkerProcess worker(job, limits, executable);
  while (true) {
    pollfd fd{worker.report_fd(), POLLIN, 0};
    ::poll(&fd, worker.open() ? 1 : 0, 50);
    if (auto end = worker.pump()) return *end;
  }
}

}  // namespace conoscope::core
