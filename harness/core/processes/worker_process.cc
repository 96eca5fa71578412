#include "harness/core/processes/worker_process.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace conoscope::core {

namespace {

using Clock = std::chrono::steady_clock;
using results::Status;

// Loading a library and making an instance is a matter of milliseconds; a minute is a hang.
constexpr double kLoadSeconds = 60;
constexpr std::size_t kLogTail = 4096;

std::filesystem::path prepared(const Job& job) {
  auto file = job.work / "job.toml";
  write_job(job, file);
  return file;
}

std::vector<std::string> worker_environment(const Job& job) {
  std::vector<std::string> out = {"OPENBLAS_NUM_THREADS=1",
                                  "OMP_NUM_THREADS=" + std::to_string(job.threads),
                                  "TMPDIR=" + (job.work / "scratch").string()};
  // glibc gives a tensor of some MiB back to the kernel as it is freed, and gets cleared pages for
  // the next one, in every training step. Up to these sizes it keeps them.
  out.insert(out.end(), {"MALLOC_MMAP_THRESHOLD_=33554432", "MALLOC_TRIM_THRESHOLD_=268435456"});
  return out;
}

/// OpenBLAS picks kernels by the processor's model: its oldest where it does not know the model, and
/// others, with other last bits, on each make. These run wherever there is AVX2. The user's wins.
std::vector<std::string> default_environment() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {"OPENBLAS_CORETYPE=Haswell"};
#endif
  return {};
}

}  // namespace

WorkerProcess::WorkerProcess(const Job& job, const WorkerLimits& limits,
                             const std::string& executable)
    : limits_(limits),
      stage_(to_string(job.stage)),
      work_(job.work),
      started_(Clock::now()),
      process_({executable, "worker", prepared(job).string()},
               {work_ / "stdout.txt", work_ / "stderr.txt"}, worker_environment(job),
               default_environment()) {}

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
  for (const auto& line : process_.read_lines()) reports_.take(line);
  return judge(*exit);
}

void WorkerProcess::enforce_limits() {
  const double allowed = reports_.step == "load" || reports_.step == "start"
                             ? std::min(kLoadSeconds, limits_.seconds)
                             : limits_.seconds;
  if (!too_long_ && seconds() > allowed) {
    too_long_ = true;
    process_.kill(SIGKILL);
  } else if (!too_big_ && process_.resident_memory() > limits_.memory) {
    too_big_ = true;
    process_.kill(SIGKILL);
  }
}

JobEnd WorkerProcess::judge(const Exit& exit) const {
  JobEnd end;
  end.seconds = seconds();
  end.peak_memory = exit.peak_memory;
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
  if (exit.signal) end.signal = *exit.signal;
  if (exit.code) end.exit_code = *exit.code;
  end.scores = reports_.scores;
  end.parts = reports_.parts;
  if (too_long_) {
    end.status = Status::timeout;
    end.message = "still running after " + to_text(Value(std::round(end.seconds * 10) / 10)) +
                  " s; the limit is " + limits_.seconds_name + " = " +
                  to_text(Value(limits_.seconds));
    if (reports_.step == "load") end.message = "did not finish loading: " + end.message;
  } else if (too_big_) {
    end.status = Status::out_of_memory;
    end.message = "used more than " + limits_.memory_name + " = " +
                  std::to_string(limits_.memory >> 20) + " MiB";
  } else if (reports_.fault) {
    end.status = reports_.fault->first;
    end.message = reports_.fault->second;
  } else if (exit.signal) {
    end.status = Status::crashed;
    end.message = "killed by " + signal_text(*exit.signal);
  } else if (!reports_.done) {
    end.status = Status::crashed;
    end.message = "the process exited with code " + std::to_string(exit.code.value_or(-1)) +
                  " before its work was finished (no completion record)";
  } else if (exit.code.value_or(-1) != 0) {
    end.status = Status::crashed;
    end.message = "the process exited with code " + std::to_string(*exit.code) +
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
