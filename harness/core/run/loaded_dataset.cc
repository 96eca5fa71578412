// SPDX-License-Identifier: Apache-2.0
#include "harness/core/run/loaded_dataset.h"

#include "harness/core/border/interpreter.h"
#include "harness/core/plan/plan.h"

namespace conoscope::core {

using results::Status;

namespace {

/// Why, with the files that it was loaded from, where the plugin has named none of them.
std::string with_files(const Component& component, const std::string& message) {
  std::string files;
  const auto& parameters = component.plugin.metadata->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!parameters[i].is_path()) continue;
    const auto& file = std::get<std::string>(component.values[i]);
    if (file.empty()) continue;
    if (message.find(file) != message.npos) return message;
    files += (files.empty() ? "" : ", ") + file;
  }
  return files.empty() ? message : message + " (" + files + ")";
}

}  // namespace

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
    throw DatasetNotLoaded(
        component.name + ": " + end.step + ": " + with_files(component, end.message),
        end.status != Status::failed && end.status != Status::not_applicable);
  log_ = end.log;
}

}  // namespace conoscope::core
