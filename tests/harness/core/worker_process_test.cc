// SPDX-License-Identifier: Apache-2.0
#include "harness/core/processes/worker_process.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>

#include "harness/core/processes/descendants.h"
#include "harness/core/processes/worker_environment.h"
#include "harness/core/version.h"
#include "tests/support/content_of.h"
#include "tests/support/scratch.h"

using namespace conoscope::core;
using conoscope::testing::content_of;
using conoscope::testing::Scratch;
namespace fs = std::filesystem;

namespace {

/// What a worker that is this script leaves in its output.
std::string output_of(const Scratch& scratch, const std::string& script,
                      const WorkerLimits& limits = {}, JobEnd* end = nullptr) {
  const std::string program = scratch.write("worker", "#!/bin/sh\n" + script + "\n");
  fs::permissions(program, fs::perms::owner_all);
  Job job;
  job.work = scratch.path("work");
  fs::create_directories(job.work / "scratch");
  const JobEnd ended = run_job(job, limits, program);
  if (end != nullptr) *end = ended;
  return content_of(job.work / "stdout.txt");
}

/// Set for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

bool has_line(const std::string& text, const std::string& wanted) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (line == wanted) return true;
  return false;
}

}  // namespace

TEST_CASE("nothing in a worker's environment changes a number, but what the environment row says") {
  const Scratch scratch;
  // None of these says anything to the shell that this process has started from.
  const char* dropped[] = {"GLIBC_TUNABLES",
                           "LD_AUDIT",
                           "LD_BIND_NOT",
                           "OPENBLAS_MAIN_FREE",
                           "OPENBLAS_NUM_THREADS",
                           "OMP_DYNAMIC",
                           "OMP_THREAD_LIMIT",
                           "MKL_CBWR",
                           "MKL_ENABLE_INSTRUCTIONS",
                           "KMP_AFFINITY",
                           "GOMP_SPINCOUNT",
                           "DNNL_MAX_CPU_ISA",
                           "ONEDNN_MAX_CPU_ISA",
                           "ATEN_CPU_CAPABILITY",
                           "NPY_DISABLE_CPU_FEATURES",
                           "TORCH_SHOW_CPP_STACKTRACES",
                           "PYTHONPATH"};
  std::string text;
  {
    std::vector<std::unique_ptr<Variable>> set;
    for (const char* name : dropped) set.push_back(std::make_unique<Variable>(name, "5"));
    const Variable path("LD_LIBRARY_PATH", "/no/such/folder");
    text = output_of(scratch, "env");
    CHECK(libraries_text() == "library path: /no/such/folder\n");
  }
  CAPTURE(text);
  for (const char* name : dropped) {
    CAPTURE(name);
    CHECK(text.find(std::string(name) + "=5") == text.npos);
  }
  CHECK(has_line(text, "LD_LIBRARY_PATH=/no/such/folder"));
  CHECK(has_line(text, "OPENBLAS_NUM_THREADS=1"));
  // All processors of the level that this is compiled for compute alike.
  if (cpu_level() == "x86-64-v3") {
    const char* asked = std::getenv("OPENBLAS_CORETYPE");
    CHECK(has_line(text, std::string("OPENBLAS_CORETYPE=") + (asked ? asked : "Haswell")));
    CHECK(has_line(text, "DNNL_MAX_CPU_ISA=AVX2"));
    CHECK(has_line(text, "ATEN_CPU_CAPABILITY=avx2"));
  }
  CHECK(libraries_text().empty());
}

TEST_CASE("what is preloaded into workers has a variable of its own, and is told") {
  const Scratch scratch;
  const std::string script = "echo preload=$LD_PRELOAD";
  {
    // The loader says on standard error that it is not there, and goes on.
    const Variable other("LD_PRELOAD", "/no/such/other.so");
    CHECK(has_line(output_of(scratch, script), "preload="));
  }
  const Variable ours("CONOSCOPE_PRELOAD", "/no/such/library.so");
  CHECK(has_line(output_of(Scratch(), script), "preload=/no/such/library.so"));
  CHECK(libraries_text() == "preloaded: /no/such/library.so\n");
}

TEST_CASE("threads count, and each process has one at least") {
  const Scratch scratch;
  ChildProcess child({"/bin/sh", "-c", "sleep 60 & sleep 60 & wait"},
                     {scratch.path("output.txt"), scratch.path("output.txt")},
                     {"PATH=/usr/bin:/bin"});
  std::uint64_t most = 0;
  for (int turn = 0; turn < 2000 && most < 3; ++turn)
    most = std::max(most, held_by(child.pid()).threads);
  CHECK(most == 3);
}

TEST_CASE("the limit of a job is in seconds, and a worker beyond it is ended") {
  const Scratch scratch;
  JobEnd end;
  output_of(scratch, "exec sleep 30", {.seconds = 0.25}, &end);
  CHECK(end.status == conoscope::results::Status::timeout);
  CHECK(end.seconds >= 0.25);
  CHECK(end.seconds < 20);
  CHECK(end.message.ends_with(" s; the limit is limits.seconds = 0.25"));
}
