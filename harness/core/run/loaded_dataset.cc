#include "harness/core/run/loaded_dataset.h"

#include "harness/core/border/interpreter.h"
#include "harness/core/plan/plan.h"

namespace conoscope::core {

namespace fs = std::filesystem;
using results::Status;

namespace {

void remove_folder(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
}

}  // namespace

LoadedDataset::LoadedDataset(const Component& component, std::int64_t seed,
                             const WorkerLimits& limits, const Cache& cache,
                             const std::string& worker)
    : work_(cache.make_work_folder()) {
  try {
    Job job;
    job.stage = Stage::kDataset;
    job.label = component.name;
    job.plugin = use_of(component.plugin, component.values, component.inputs);
    job.seed = work_seed(component, Stage::kDataset, seed, component.key);
    job.memory = limits.memory;
    job.work = work_;
    const JobEnd end = run_job(job, limits, worker);
    if (end.status != Status::ok)
      throw DatasetNotLoaded(component.name + ": " + end.step + ": " + end.message,
                             end.status != Status::failed && end.status != Status::not_applicable);
    log_ = end.log;
  } catch (...) {
    remove_folder(work_);
    throw;
  }
}

LoadedDataset::~LoadedDataset() { remove_folder(work_); }

}  // namespace conoscope::core
