#include "harness/core/plan/work_graph.h"

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <boost/graph/topological_sort.hpp>
#include <iterator>
#include <ostream>
#include <tuple>

namespace conoscope::core {

namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

Graph graph_of(const Plan& plan) {
  Graph graph(plan.nodes.size());
  for (std::size_t i = 0; i < plan.nodes.size(); ++i)
    for (const std::size_t need : plan.nodes[i].needs) boost::add_edge(need, i, graph);
  return graph;
}

}  // namespace

std::vector<double> longest_chains(const Plan& plan, const std::map<std::string, double>& seconds,
                                   const std::vector<bool>& to_do) {
  const Graph graph = graph_of(plan);
  std::vector<std::size_t> order;  // what is needed comes after all that needs it
  order.reserve(plan.nodes.size());
  boost::topological_sort(graph, std::back_inserter(order));
  std::vector<double> out(plan.nodes.size(), 0.0);
  for (const std::size_t i : order) {
    const auto [first, last] = boost::adjacent_vertices(i, graph);
    for (auto next = first; next != last; ++next) out[i] = std::max(out[i], out[*next]);
    if (!to_do[i]) continue;
    const Component* component = plan.nodes[i].component;
    const auto known = component ? seconds.find(component->key) : seconds.end();
    out[i] += known != seconds.end() ? known->second : 1.0;
  }
  return out;
}

bool WorkQueue::Entry::operator<(const Entry& other) const {
  return std::tie(other.chain, other.stage, node) < std::tie(chain, stage, other.node);
}

void WorkQueue::push(std::size_t node) {
  ready_.insert({chains_.empty() ? 0.0 : chains_[node], plan_->nodes[node].stage, node});
}

std::size_t WorkQueue::pop() { return ready_.extract(ready_.begin()).value().node; }

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
