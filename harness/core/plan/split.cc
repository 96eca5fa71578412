// SPDX-License-Identifier: Apache-2.0
#include "harness/core/plan/split.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace conoscope::core {

namespace {

/// Cells that go to one shard: those of an explanation and its controls, of a piece of a group, or
/// of a whole group.
struct Part {
  std::vector<std::size_t> cells;
  double weight = 0.0;

  void take(const Part& other) {
    cells.insert(cells.end(), other.cells.begin(), other.cells.end());
    weight += other.weight;
  }
};

const std::vector<std::size_t>& inputs_of(const Plan& plan, const Cell& cell) {
  return plan.nodes[cell.score_nodes.front()].needs;
}

std::size_t model_of(const Plan& plan, const Cell& cell) {
  for (const std::size_t node : inputs_of(plan, cell))
    if (plan.nodes[node].stage == Stage::kModel) return node;
  return Split::kNone;
}

/// The explanations of a group, in the order of the plan.
using Group = std::vector<Part>;

std::vector<Group> groups_of(const Plan& plan, const std::vector<std::size_t>& cells,
                             const std::vector<double>& weight) {
  std::vector<Group> groups;
  std::map<std::size_t, std::size_t> group_of_model;
  std::map<std::size_t, std::size_t> part_of_input;  // the last input is what the cell judges
  for (const std::size_t i : cells) {
    const Cell& cell = plan.cells[i];
    const auto [group, new_group] = group_of_model.try_emplace(model_of(plan, cell), groups.size());
    if (new_group) groups.emplace_back();
    Group& parts = groups[group->second];
    const auto [part, new_part] =
        part_of_input.try_emplace(inputs_of(plan, cell).back(), parts.size());
    if (new_part) parts.emplace_back();
    parts[part->second].cells.push_back(i);
    parts[part->second].weight += weight[i];
  }
  return groups;
}

/// Pieces of about the weight of a share, and what remains; neighbours stay together.
void cut(const Group& group, double share, std::vector<Part>& out) {
  double before = 0.0, last = -1.0;
  for (const Part& part : group) {
    const double piece = std::floor((before + part.weight / 2) / share);
    if (piece != last) out.emplace_back();
    last = piece;
    before += part.weight;
    out.back().take(part);
  }
}

}  // namespace

std::vector<double> cell_weights(const Plan& plan, const std::map<std::string, double>& seconds) {
  std::vector<double> out(plan.cells.size(), -1.0);
  double sum = 0.0;
  std::size_t known = 0;
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    const Cell& cell = plan.cells[i];
    const auto it = seconds.find((cell.explainer ? cell.explainer : cell.model)->key);
    if (it == seconds.end()) continue;
    out[i] = it->second;
    sum += it->second;
    ++known;
  }
  const double otherwise = sum > 0.0 ? sum / static_cast<double>(known) : 1.0;
  for (double& weight : out)
    if (weight < 0.0) weight = otherwise;
  return out;
}

Split split_cells(const Plan& plan, const std::vector<std::size_t>& cells, std::size_t shards,
                  const std::vector<double>& weight) {
  double total = 0.0;
  for (const std::size_t i : cells) total += weight[i];
  // Sums of seconds are rounded: what is an N-th part but for that is not cut.
  constexpr double kRounding = 1e-9;
  const double share = total / static_cast<double>(shards);
  std::vector<Part> pieces;
  for (const Group& group : groups_of(plan, cells, weight)) {
    Part whole;
    for (const Part& part : group) whole.take(part);
    if (whole.weight > share * (1 + kRounding))
      cut(group, share, pieces);
    else
      pieces.push_back(std::move(whole));
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Part& a, const Part& b) { return a.weight > b.weight; });

  Split out;
  out.shards = shards;
  out.shard_of.assign(plan.cells.size(), Split::kNone);
  std::set<std::pair<double, std::size_t>> loads;  // the shard that has least is the first
  for (std::size_t shard = 0; shard < std::min(shards, pieces.size()); ++shard)
    loads.insert({0.0, shard});
  for (const Part& piece : pieces) {
    const auto [load, shard] = loads.extract(loads.begin()).value();
    for (const std::size_t cell : piece.cells) out.shard_of[cell] = shard;
    loads.insert({load + piece.weight, shard});
  }
  return out;
}

std::vector<DoubledNode> doubled_nodes(const Plan& plan, const Split& split) {
  std::map<std::size_t, std::set<std::size_t>> users;
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    if (split.shard_of[i] == Split::kNone) continue;
    for (const std::size_t node : inputs_of(plan, plan.cells[i]))
      if (plan.nodes[node].stage != Stage::kExplain) users[node].insert(split.shard_of[i]);
  }
  std::vector<DoubledNode> out;
  for (const auto& [node, shards] : users)
    if (shards.size() > 1) out.push_back({node, {shards.begin(), shards.end()}});
  return out;
}

}  // namespace conoscope::core
