// SPDX-License-Identifier: Apache-2.0
#include "harness/core/plan/over_seeds.h"

#include <algorithm>
#include <tuple>

#include "conoscope/sdk/random.h"
#include "harness/core/names.h"

namespace conoscope::core {

namespace {

/// Copies nodes from one plan to another, each once, after all that it needs.
class NodeCopies {
 public:
  NodeCopies(const Plan& from, Plan& to) : from_(from), to_(to) {}

  std::size_t of(std::size_t i) {
    if (const auto it = copies_.find(i); it != copies_.end()) return it->second;
    Node copy = from_.nodes[i];
    for (std::size_t& need : copy.needs) need = of(need);
    to_.nodes.push_back(std::move(copy));
    return copies_[i] = to_.nodes.size() - 1;
  }

 private:
  const Plan& from_;
  Plan& to_;
  std::map<std::size_t, std::size_t> copies_;
};

/// Dataset, model and explanation of a cell.
const std::vector<std::size_t>& artifacts_of(const Plan& plan, std::size_t cell) {
  return plan.nodes[plan.cells[cell].score_nodes.front()].needs;
}

}  // namespace

std::map<std::size_t, std::vector<std::size_t>> peers_of_cells(const Plan& plan) {
  using Configuration = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Configuration, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < plan.cells.size(); ++i) {
    const Cell& cell = plan.cells[i];
    if (!cell.peer_metrics.empty())
      members[{cell.dataset->key, cell.model->key, cell.explainer->key, cell.control}].push_back(i);
  }
  std::map<std::size_t, std::vector<std::size_t>> out;
  for (auto& [ignored, cells] : members) {
    std::sort(cells.begin(), cells.end(), [&](std::size_t a, std::size_t b) {
      return plan.cells[a].seed < plan.cells[b].seed;
    });
    for (const std::size_t cell : cells)
      for (const std::size_t other : cells)
        if (other != cell) out[cell].push_back(other);
  }
  return out;
}

Plan plan_over_seeds(const Plan& plan,
                     const std::map<std::size_t, std::vector<std::size_t>>& peers) {
  Plan out;
  out.run_file = plan.run_file;
  out.run_key = plan.run_key;
  out.datasets = plan.datasets;
  out.models = plan.models;
  out.explainers = plan.explainers;
  out.metric_plugins = plan.metric_plugins;
  NodeCopies copies(plan, out);
  for (const auto& [index, others] : peers) {
    Cell cell = plan.cells[index];
    cell.not_applicable.clear();
    Node score;
    score.stage = Stage::kScore;
    score.key = cell.key + " over seeds";
    score.label = "metrics over seeds";
    score.metrics = cell.peer_metrics;
    for (const std::size_t need : artifacts_of(plan, index)) score.needs.push_back(copies.of(need));
    for (const std::size_t other : others) {
      const auto& artifacts = artifacts_of(plan, other);
      score.peers.push_back({copies.of(artifacts[1]), copies.of(artifacts[2]),
                             plan.cells[other].control_seed, plan.cells[other].seed});
      for (const std::size_t need : {score.peers.back().model, score.peers.back().explanation})
        score.needs.push_back(need);
      cell.peers.push_back(plan.cells[other].key);
    }
    // As for the metrics of one cell: the same draws for all explanations of a model.
    score.seed = sdk::Seed(static_cast<std::uint64_t>(cell.seed))
                     .child("score")
                     .child("over seeds")
                     .child(cell.dataset->key + " " + cell.model->key)
                     .value();
    score.cell = out.cells.size();
    cell.score_nodes = {out.nodes.size()};
    out.nodes.push_back(std::move(score));
    for (const std::string& metric : cell.peer_metrics)
      if (!contains(out.metrics, metric)) out.metrics.push_back(metric);
    out.cells.push_back(std::move(cell));
  }
  return out;
}

}  // namespace conoscope::core
