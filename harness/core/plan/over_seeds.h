// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/core/plan/plan.h"

namespace conoscope::core {

// A score over seeds compares a cell with its peers. Which of them there are is known only when the
// cells of a run have ended, so these scores are a plan of their own, after that of the cells.

/// By cell, as indices: the other cells of the same dataset, model, explainer and control, by seed.
/// Only cells that have metrics over seeds.
std::map<std::size_t, std::vector<std::size_t>> peers_of_cells(const Plan& plan);

/// The scores over seeds of these cells, each with its peers: an attempt of their own for each cell,
/// which gives its peer_metrics alone. Artifacts that the cache has lost are made again. The plan
/// that it is made from must outlive it.
Plan plan_over_seeds(const Plan& plan,
                     const std::map<std::size_t, std::vector<std::size_t>>& peers);

}  // namespace conoscope::core
