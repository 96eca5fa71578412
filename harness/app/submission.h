// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/plan/split.h"

namespace conoscope::app {

/// A run that was handed to a cluster: a folder with the run file, the hashes of all that the jobs
/// will run, which cell is which shard's, the scripts, their logs, the stores and the jobs' ids.
struct Submission {
  std::filesystem::path folder;

  std::filesystem::path store(std::size_t shard) const;  ///< from 1
  /// What holds while this plan may go on with it: empty, or what is other than it was.
  std::string changed(const core::Plan& plan) const;
  /// throws  std::invalid_argument: a file is missing or is not what freeze() wrote
  core::Split split(const core::Plan& plan) const;

  struct Job {
    std::string what;  ///< prepare, cells, merge or over_seeds
    std::string id;    ///< of the array
  };
  std::vector<Job> jobs() const;
  void add_job(const Job& job) const;
};

/// A run's name as files and jobs bear it: what is no letter, digit, dot or underscore is a dash.
std::string plain_name(const core::Plan& plan);

/// Makes the folder `parent`/<run>-<time>.
/// throws  std::runtime_error: it cannot be written
Submission freeze(const core::Plan& plan, const core::Split& split,
                  const std::filesystem::path& parent);

/// Those of this run, the newest last.
std::vector<Submission> submissions(const core::Plan& plan, const std::filesystem::path& parent);

/// What a task is given: the split, once it is sure that nothing has changed since.
/// throws  UsageError: something has, or there is no submission in the folder
core::Split frozen_split(const core::Plan& plan, const std::filesystem::path& folder);

}  // namespace conoscope::app
