#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/plan/plan.h"
#include "results/store/store.h"

namespace conoscope::core {

/// What, of the cells to do, will not fit the run file's limits.memory; one line for each dataset,
/// model and explainer, empty where nothing is known against any.
///
/// A cell will not fit when such a cell held more before, whatever became of it, or when the
/// activations that its workers map are larger than the limit: those that the cache holds, or else
/// those of a file that the dataset is read from.
std::vector<std::string> memory_warnings(const Plan& plan, const std::vector<std::size_t>& todo,
                                         results::Store& store, const std::filesystem::path& cache);

}  // namespace conoscope::core
