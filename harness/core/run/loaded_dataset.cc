#include "harness/core/run/loaded_dataset.h"

#include "harness/core/border/interpreter.h"
#include "harness/core/plan/plan.h"

namespace conoscope::core {

using results::Status;

LoadedDataset::LoadedDataset(const Component& component, std::int64_t seed,
                             const WorkerLimits& limits, const Cache& cache,
                             const std::string& worker)
    : work_(cache) {
  Job job;
  job.stage = Stage::kDataset;
  job.label = component.name;
  job.plugin = use_of(component.plugin, component.values, component.inputs);
  job.seed = work_seed(component, Stage::kDataset, seed, component.key);
  job.memory = limits.memory;
  job.work = work_.path();
  const JobEnd end = run_job(job, limits, worker);
  if (end.status != Status::ok)
    throw DatasetNotLoaded(component.name + ": " + end.step + ": " + end.message,
                           end.status != Status::failed && end.status != Status::not_applicable);
  log_ = end.log;
}

}  // namespace conoscope::core
