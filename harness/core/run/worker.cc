#include "harness/core/run/worker.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <new>

#include "harness/core/artifacts/content_hash.h"
#include "harness/core/artifacts/manifest.h"
#include "harness/core/border/loader.h"
#include "harness/core/border/output_check.h"
#include "harness/core/conformance/trials.h"
#include "harness/core/processes/job.h"
#include "harness/core/processes/protocol.h"
#include "harness/core/run/artifact_stage.h"
#include "harness/core/run/score_stage.h"

namespace conoscope::core {

namespace {

namespace fs = std::filesystem;
using results::Status;

std::atomic<bool> asked_to_stop{false};

const Reporter kReport;

Status status_of(cono_status status) {
  switch (status) {
    case CONO_NOT_APPLICABLE:
      return Status::not_applicable;
    case CONO_CANCELLED:
      return Status::interrupted;
    case CONO_OUT_OF_MEMORY:
      return Status::out_of_memory;
    default:
      return Status::failed;
  }
}

void set_up(HostCalls& host, const Job& job) {
  host.seed = job.seed;
  host.threads = job.threads;
  host.scratch = (job.work / "scratch").string();
  host.progress = [last = -1.0](double done) mutable {
    if (!(done >= 0.0 && done <= 1.0) || std::abs(done - last) < 0.01) return;
    last = done;
    kReport.progress(done);
  };
  host.log = [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); };
  host.cancelled = [] { return asked_to_stop.load(std::memory_order_relaxed); };
}

std::vector<InputFile> inputs_of(const Job& job) {
  std::vector<InputFile> out;
  for (const auto* use : {&job.plugin, &job.model, &job.explainer})
    if (*use) out.insert(out.end(), (*use)->inputs.begin(), (*use)->inputs.end());
  return out;
}

void set_limits(const Job& job) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // no worker outlives its supervisor
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // Mapped libraries and inputs count as address space but not as memory, so this is wider than the
  // limit that the supervisor holds the resident size to; it stops a single huge allocation at
  // once.
  if (job.memory > 0) {
    const rlim_t space = job.memory * 2 + (rlim_t{4} << 30);
    const rlimit limit{space, space};
    ::setrlimit(RLIMIT_AS, &limit);
  }
#else
  static_cast<void>(job);
#endif
}

}  // namespace

int run_worker(const fs::path& job_file) {
  const auto fault = [](Status status, const std::string& message, int code = 1) {
    std::fflush(nullptr);
    kReport.fault(status, message);
    ::_exit(code);
    return code;
  };
  try {
    const Job job = read_job(job_file);
    set_limits(job);
    // A terminal's Ctrl-C reaches the whole process group; when to stop is the supervisor's to say.
    ::signal(SIGINT, SIG_IGN);
    ::signal(SIGTERM, [](int) { asked_to_stop.store(true); });
    ::signal(SIGXFSZ, SIG_IGN);  // a file that becomes too large is an error with a text
    const UnchangedInputs inputs(inputs_of(job));
    HostCalls host;
    set_up(host, job);
    if (job.trial == trial::kCancelled) host.cancelled = [] { return true; };
    std::size_t count = 1;
    if (job.stage == Stage::kScore) {
      count = score(job, host, kReport);
    } else {
      const fs::path folder = job.work / "artifact";
      make_artifact(job, host, kReport, folder);
      if (job.repeat) repeat_and_compare(job, host, kReport, folder);
      if (job.trial != trial::kLoad) seal_artifact(folder);
    }
    inputs.check_again();
    std::fflush(nullptr);
    kReport.done(count);
    // Static destructors and exit handlers are the plugins' code too; the work is done.
    ::_exit(0);
  } catch (const CallFault& e) {
    return fault(status_of(e.status()), e.what());
  } catch (const OutputFault& e) {
    return fault(Status::invalid_output, e.what());
  } catch (const LoadFault& e) {
    return fault(Status::failed, e.what());
  } catch (const DamagedArtifact& e) {
    return fault(Status::failed, e.what(), kDamagedInputExit);
  } catch (const std::bad_alloc&) {
    return fault(Status::out_of_memory, "out of memory");
  } catch (const std::exception& e) {
    return fault(Status::failed, e.what());
  }
}

}  // namespace conoscope::core
