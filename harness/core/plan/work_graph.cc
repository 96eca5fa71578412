// SPDX-License-Identifier: Apache-2.0
#include "harness/core/plan/work_graph.h"

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <boost/graph/topological_sort.hpp>
#include <iterator>
#include <numeric>
#include <ostream>
#include <tuple>
#include <utility>

namespace conoscope::core {

namespace {

// By how much earlier than it must a long chain begins: whoever is busy cannot take it at the moment.
constexpr double kAhead = 1.5;

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

Graph graph_of(const Plan& plan) {
  Graph graph(plan.nodes.size());
  for (std::size_t i = 0; i < plan.nodes.size(); ++i)
    for (const std::size_t need : plan.nodes[i].needs) boost::add_edge(need, i, graph);
  return graph;
}

std::vector<double> node_seconds(const Plan& plan, const std::map<std::string, double>& seconds,
                                 const std::vector<bool>& to_do) {
  std::vector<double> out(plan.nodes.size(), 0.0);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!to_do[i]) continue;
    const Component* component = plan.nodes[i].component;
    const auto known = component ? seconds.find(component->key) : seconds.end();
    out[i] = known != seconds.end() ? known->second : 1.0;
  }
  return out;
}

/// For each node the place of the first cell that needs it, in the order of datasets, seeds and models.
std::vector<std::size_t> ranks_of(const Plan& plan, const std::vector<bool>& to_do) {
  std::map<const Component*, std::size_t> place;  // by their first cell
  std::map<std::int64_t, std::size_t> seeds;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::size_t> rank_of;
  const auto group_of = [&](const Cell& cell) {
    const auto at = [](auto& places, const auto& what) {
      return places.try_emplace(what, places.size()).first->second;
    };
    return std::tuple(at(place, cell.dataset), at(seeds, cell.seed), at(place, cell.model));
  };
  for (const Cell& cell : plan.cells) rank_of.emplace(group_of(cell), 0);
  std::size_t count = 0;
  for (auto& [group, rank] : rank_of) rank = count++;

  std::vector<std::size_t> out(plan.nodes.size(), count);
  for (std::size_t i = plan.nodes.size(); i-- > 0;) {
    const Node& node = plan.nodes[i];
    if (node.stage == Stage::kScore) out[i] = rank_of.at(group_of(plan.cells[node.cell]));
    if (node.stage != Stage::kScore || to_do[i])
      for (const std::size_t need : node.needs) out[need] = std::min(out[need], out[i]);
  }
  return out;
}

}  // namespace

std::vector<double> longest_chains(const Plan& plan, const std::map<std::string, double>& seconds,
                                   const std::vector<bool>& to_do) {
  const auto own = node_seconds(plan, seconds, to_do);
  const Graph graph = graph_of(plan);
  std::vector<std::size_t> order;  // what is needed comes after all that needs it
  order.reserve(plan.nodes.size());
  boost::topological_sort(graph, std::back_inserter(order));
  std::vector<double> out(plan.nodes.size(), 0.0);
  for (const std::size_t i : order) {
    const auto [first, last] = boost::adjacent_vertices(i, graph);
    for (auto next = first; next != last; ++next) out[i] = std::max(out[i], out[*next]);
    out[i] += own[i];
  }
  return out;
}

bool WorkQueue::Entry::operator<(const Entry& other) const {
  return std::tie(rank, other.stage, other.chain, node) <
         std::tie(other.rank, stage, chain, other.node);
}

WorkQueue::WorkQueue(const Plan& plan, const std::map<std::string, double>& seconds,
                     const std::vector<bool>& to_do, std::uint32_t workers)
    : plan_(&plan),
      seconds_(node_seconds(plan, seconds, to_do)),
      chains_(longest_chains(plan, seconds, to_do)),
      ranks_(ranks_of(plan, to_do)),
      workers_(workers),
      left_(std::accumulate(seconds_.begin(), seconds_.end(), 0.0)) {}

WorkQueue::Entry WorkQueue::entry_of(std::size_t node) const {
  return {ranks_[node], plan_->nodes[node].stage, chains_[node], node};
}

void WorkQueue::push(std::size_t node) {
  ready_.insert(entry_of(node));
  by_chain_.insert({chains_[node], node});
}

std::size_t WorkQueue::pop() {
  const auto [chain, longest] = *by_chain_.rbegin();
  const bool critical = workers_ > 1 && chain * workers_ * kAhead > left_;
  const std::size_t node = critical ? longest : ready_.begin()->node;
  drop(node);
  return node;
}

void WorkQueue::drop(std::size_t node) {
  ready_.erase(entry_of(node));
  by_chain_.erase({chains_[node], node});
  left_ -= std::exchange(seconds_[node], 0.0);
}

void write_dot(const Plan& plan, const std::vector<bool>& done, std::ostream& out) {
  const auto write_node = [&](std::ostream& os, std::size_t i) {
    const Node& node = plan.nodes[i];
    std::string label = node.stage == Stage::kScore
                            ? node.label + "\n" + plan.cells[node.cell].label()
                            : std::string(to_string(node.stage)) + "\n" + node.label;
    boost::algorithm::replace_all(label, "\\", "\\\\");  // which Boost leaves as they are
    os << "[label=" << boost::escape_dot_string(label)
       << (i < done.size() && done[i] ? ", style=filled, fillcolor=lightgrey]" : "]");
  };
  boost::write_graphviz(out, graph_of(plan), write_node);
}

}  // namespace conoscope::core
