// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace conoscope::app {

/// Whether a program of this name is on PATH.
bool on_path(const std::string& program);

/// Hands a script to sbatch, from the folder that it lies in. Returns the job's id.
///
/// options  as "--array=1-4"
/// throws   UsageError: sbatch refuses, with its own words
std::string submit_job(const std::filesystem::path& script,
                       const std::vector<std::string>& options);

/// Takes a job back that is not to run after all. Returns why it could not be, in scancel's words;
/// empty: it was.
std::string cancel_job(const std::string& id);

/// A job, or a task of an array, that waits or runs.
struct QueuedTask {
  std::string job;   ///< of the array
  std::string task;  ///< "N/A": no array
  std::string state;
};

/// The caller's own, by squeue. nullopt: it does not answer.
std::optional<std::vector<QueuedTask>> queued_tasks();

}  // namespace conoscope::app
