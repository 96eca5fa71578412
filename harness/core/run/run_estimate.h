// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/plan/plan.h"
#include "results/store/store.h"

namespace conoscope::core {

/// What the work that is left will take, by what such work took before; nullopt where some of it is
/// unknown.
struct RunEstimate {
  std::optional<double> seconds;        ///< of all workers together
  std::optional<std::uint64_t> memory;  ///< bytes of the worker that held most
  /// Bytes that the cache lacks, at most: by the artifacts of the same components that it has, and the
  /// files that datasets read.
  std::optional<std::uint64_t> disk;
};

/// cache  its folder, which need not be there
RunEstimate estimate_run(const Plan& plan, const std::vector<std::size_t>& todo,
                         results::Store& store, const std::filesystem::path& cache);

/// "102 bytes", "340.0 MiB", "1.2 GiB"
std::string size_text(std::uint64_t bytes);

/// What, of the cells to do, will not fit; one line for each dataset, model and explainer that needs
/// more than the run file's limits, and one for a disk without room. Empty where nothing is known
/// against any.
///
/// A cell will not fit limits.memory when such a cell held more before, whatever became of it, or when
/// the activations that its workers map are larger: those that the cache holds, or else those of a file
/// that the dataset is read from. They have to fit limits.cache as well.
std::vector<std::string> will_not_fit(const Plan& plan, const std::vector<std::size_t>& todo,
                                      results::Store& store, const std::filesystem::path& cache);

}  // namespace conoscope::core
