// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "harness/core/artifacts/cache.h"
#include "harness/core/plan/component.h"
#include "harness/core/processes/worker_process.h"

namespace conoscope::core {

/// The worker that was to load a dataset did not.
class DatasetNotLoaded : public std::runtime_error {
 public:
  explicit DatasetNotLoaded(const std::string& text, bool plugin_at_fault)
      : std::runtime_error(text), plugin_at_fault_(plugin_at_fault) {}
  /// The plugin broke the border's rules or died, rather than saying what is wrong with its input.
  bool plugin_at_fault() const { return plugin_at_fault_; }

 private:
  bool plugin_at_fault_;
};

/// A dataset loaded by itself, in a worker of its own, just as a run with that seed has it. The
/// arrays lie in a work folder of the cache, which the destructor removes.
class LoadedDataset {
 public:
  /// component  a usable dataset
  /// cache      must outlive this
  /// worker     the command that knows `worker`
  /// throws     DatasetNotLoaded; std::runtime_error: no process can be started
  LoadedDataset(const Component& component, std::int64_t seed, const WorkerLimits& limits,
                const Cache& cache, const std::string& worker = "/proc/self/exe");

  std::filesystem::path artifact() const { return work_.path() / "artifact"; }
  const std::string& log() const { return log_; }  ///< what the plugin had to say

 private:
  WorkFolder work_;
  std::string log_;
};

}  // namespace conoscope::core
