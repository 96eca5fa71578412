// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/worker.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <vector>

#include "harness/core/artifacts/array_pool.h"
#include "harness/core/artifacts/content_hash.h"
#include "harness/core/artifacts/manifest.h"
#include "harness/core/border/loader.h"
#include "harness/core/processes/confinement.h"
#include "harness/core/processes/descendants.h"
#include "harness/core/processes/job.h"
#include "harness/core/processes/protocol.h"
#include "harness/core/run/artifact_stage.h"
#include "harness/core/run/plugin_confinement.h"
#include "harness/core/run/score_stage.h"
#include "harness/core/run/work_and_end.h"

namespace conoscope::core {

namespace {

namespace fs = std::filesystem;

std::atomic<bool> asked_to_stop{false};

const Reporter kReport;

Host host_of(const Job& job) {
  Host host;
  host.seed = job.seed;
  host.threads = job.threads;
  host.scratch = (job.work / "scratch").string();
  host.progress = [last = 0.0](double done) mutable {
    if (!(done <= 1.0) || done - last < 0.01) return;
    last = done;
    kReport.progress(done);
  };
  host.log = [](const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); };
  host.cancelled = [] { return asked_to_stop.load(std::memory_order_relaxed); };
  host.before_load = [&job](const PluginUse& use, const Metadata& metadata,
                            const std::string& scratch) {
    confine_plugin(job, use, metadata, scratch);
  };
  return host;
}

/// This process outlives neither its supervisor nor what plugins start: orphans come to it, and when
/// the supervisor is gone it ends them before itself. Plugins cannot look into it.
void guard_process() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_DUMPABLE, 0);
  struct sigaction end {};
  end.sa_handler = [](int) {
    end_own_children();
    ::_exit(1);
  };
  ::sigaction(SIGUSR2, &end, nullptr);
  const pid_t parent = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, SIGUSR2);
  if (::getppid() != parent) ::_exit(1);
  // A terminal's Ctrl-C reaches the whole process group; when to stop is the supervisor's to say.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGTERM, [](int) { asked_to_stop.store(true); });
  // That a child was stopped on the way to its end is no news, and where a plugin that is not confined
  // traces this process, each signal stops it.
  struct sigaction child {};
  child.sa_handler = SIG_DFL;
  child.sa_flags = SA_NOCLDSTOP;
  ::sigaction(SIGCHLD, &child, nullptr);
  ::signal(SIGXFSZ, SIG_IGN);  // a file that becomes too large is an error with a text
  ::signal(SIGPIPE, SIG_IGN);  // a process that is gone is an error of write()
}

std::vector<InputFile> inputs_of(const Job& job) {
  std::vector<InputFile> out;
  for (const auto* use : {&job.plugin, &job.model, &job.redrawn, &job.explainer})
    if (*use) out.insert(out.end(), (*use)->inputs.begin(), (*use)->inputs.end());
  return out;
}

void set_limits(const Job& job) {
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

int work_in_worker(const fs::path& job_file, const Work& work) {
  work_and_end(kReport, [&] {
    const Job job = read_job(job_file);
    guard_process();
    set_limits(job);
    const UnchangedInputs inputs(inputs_of(job));
    work(job, host_of(job), kReport);
    inputs.check_again();
  });
}

int run_worker(const fs::path& job_file) {
  return work_in_worker(job_file, [](const Job& job, const Host& host, const Reporter& report) {
    if (job.stage == Stage::kScore) return score(job, host, report);
    const auto passed_on = make_artifact(job, host, report);
    const ArrayPool pool(job.arrays);
    seal_artifact(job.work / "artifact", job.confine && can_confine() ? confinement_offered() : "",
                  job.made_by, passed_on, &pool);
  });
}

}  // namespace conoscope::core
