// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/core/plan/plan.h"

namespace conoscope::core {

/// Which part of a run each of several machines does.
struct Split {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t shards = 1;
  std::vector<std::size_t> shard_of;  ///< by cell, from 0; kNone: no shard's
};

/// What a cell is expected to take: the median seconds of what it judges, or where nothing is
/// recorded of that the mean of those that are. With an empty record every cell counts 1.
///
/// seconds  by component key, see results::Store::median_seconds()
std::vector<double> cell_weights(const Plan& plan, const std::map<std::string, double>& seconds);

/// Parts of about equal weight that make few models twice. The cells of one trained model are a
/// group, which is cut only where it is heavier than the N-th part of all, into pieces of that weight
/// and a rest, and never between the controls of an explanation. The heaviest goes first, each to the
/// shard that has least.
///
/// The same plan and weights give the same parts on every machine.
///
/// cells   those to be split, indices of plan.cells
/// weight  by cell, >= 0
Split split_cells(const Plan& plan, const std::vector<std::size_t>& cells, std::size_t shards,
                  const std::vector<double>& weight);

/// A dataset or model that more than one shard needs, and which shards those are.
struct DoubledNode {
  std::size_t node;
  std::vector<std::size_t> shards;
};

/// In the order of the plan's nodes.
std::vector<DoubledNode> doubled_nodes(const Plan& plan, const Split& split);

}  // namespace conoscope::core
