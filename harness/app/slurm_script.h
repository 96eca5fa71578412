// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/plan/slurm_request.h"

namespace conoscope::app {

/// What the job scripts of a submission are written from.
struct SlurmScripts {
  core::SlurmRequest request;
  std::string name;     ///< of the run
  std::string run_key;  ///< for `status`
  std::size_t shards = 1;
  std::uint32_t threads = 1;             ///< of one worker
  std::uint64_t memory = 0;              ///< bytes that one worker may hold
  std::filesystem::path working_folder;  ///< where submit was called
  std::filesystem::path folder;          ///< of the submission
  std::filesystem::path command, run_file;
  std::filesystem::path cache, store;    ///< store: where all is merged
  std::vector<std::string> variables;    ///< "NAME=value", exported
  std::vector<std::string> run_options;  ///< more words for `conoscope run`
};

// Each script begins with the options of its job as #SBATCH lines and is called in the submission's
// folder; which tasks of an array are sent, and what they wait for, are options of sbatch.

/// An array: task i makes the models of the i-th part of those that several shards need.
std::string prepare_script(const SlurmScripts& scripts);
/// An array: task i is shard i. It stops before its time is over, and queues itself again.
std::string cells_script(const SlurmScripts& scripts);
/// Merges what the shards have, and says how far the run is.
std::string merge_script(const SlurmScripts& scripts);
/// An array of one task, which scores over seeds what has been merged. It asks for what a shard asks
/// for, since what the cache has lost is made again, and stops and is queued again like one.
std::string over_seeds_script(const SlurmScripts& scripts);

/// "1-3,7": ascending numbers as sbatch's --array takes them.
std::string array_text(const std::vector<std::size_t>& tasks, std::uint32_t max_running);

}  // namespace conoscope::app
