#include "harness/core/plan/work_graph.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "tests/support/plan_world.h"

using namespace conoscope::core;
using conoscope::testing::PlanWorld;
using conoscope::testing::run_file;

namespace {

/// Two datasets, one model, two explainers.
Plan plan_of(const PlanWorld& world) {
  return world.plan(run_file(R"(metrics = ["surf_mae"])", {"labelled", "fixed"}, {"head"},
                             {"km; params.k = [2, 3]"}));
}

std::size_t node_of(const Plan& plan, const std::string& label) {
  for (std::size_t i = 0; i < plan.nodes.size(); ++i)
    if (plan.nodes[i].label.rfind(label, 0) == 0) return i;
  FAIL("no node " << label);
  return 0;
}

const Component& component(const std::vector<Component>& list, const std::string& name) {
  return *std::find_if(list.begin(), list.end(), [&](const auto& c) { return c.name == name; });
}

std::vector<std::size_t> roots(const Plan& plan) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i)
    if (plan.nodes[i].needs.empty()) out.push_back(i);
  return out;
}

}  // namespace

TEST_CASE("a chain is as long as its own seconds and the longest of what waits for it") {
  const PlanWorld world;
  const Plan plan = plan_of(world);
  const std::vector<bool> all(plan.nodes.size(), true);
  const auto unknown = longest_chains(plan, {}, all);
  CHECK(unknown[node_of(plan, "labelled")] == 4);  // dataset, model, explanation, score
  CHECK(unknown[node_of(plan, "head")] == 3);
  CHECK(unknown[node_of(plan, "km(k=2)")] == 2);
  CHECK(unknown[node_of(plan, "metrics")] == 1);

  const std::map<std::string, double> seconds = {{component(plan.explainers, "km(k=2)").key, 0.25},
                                                 {component(plan.explainers, "km(k=3)").key, 100.0},
                                                 {component(plan.datasets, "fixed").key, 7.0}};
  const auto known = longest_chains(plan, seconds, all);
  CHECK(known[node_of(plan, "km(k=2)")] == 1.25);
  CHECK(known[node_of(plan, "labelled")] == 1 + 1 + 100 + 1);
  CHECK(known[node_of(plan, "fixed")] == 7 + 1 + 100 + 1);

  // What is not to do takes no time.
  std::vector<bool> without = all;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i)
    if (plan.nodes[i].label.rfind("km(k=3)", 0) == 0) without[i] = false;
  CHECK(longest_chains(plan, seconds, without)[node_of(plan, "labelled")] == 1 + 1 + 0.25 + 1);
}

TEST_CASE("with recorded seconds the queue begins with the head of the longest chain") {
  const PlanWorld world;
  const Plan plan = plan_of(world);
  const std::vector<bool> all(plan.nodes.size(), true);
  for (const char* slow : {"labelled", "fixed"}) {
    CAPTURE(slow);
    WorkQueue queue(plan, longest_chains(plan, {{component(plan.datasets, slow).key, 60.0}}, all));
    for (const std::size_t i : roots(plan)) queue.push(i);
    REQUIRE_FALSE(queue.empty());
    CHECK(plan.nodes[queue.pop()].component->name == slow);
    CHECK(plan.nodes[queue.pop()].component->name != slow);
    CHECK(queue.empty());
  }
}

TEST_CASE("among equal chains later stages come first, then the order of the plan") {
  const PlanWorld world;
  const Plan plan = plan_of(world);
  WorkQueue queue(plan, {});
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) queue.push(i);
  std::vector<std::size_t> order;
  while (!queue.empty()) order.push_back(queue.pop());
  REQUIRE(order.size() == plan.nodes.size());
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Stage before = plan.nodes[order[i - 1]].stage, now = plan.nodes[order[i]].stage;
    CHECK((before > now || (before == now && order[i - 1] < order[i])));
  }
}

TEST_CASE("the dot output is a graph that names every node and draws every edge") {
  const PlanWorld world;
  const Plan plan = plan_of(world);
  std::vector<bool> done(plan.nodes.size(), false);
  done[0] = true;
  std::ostringstream out;
  write_dot(plan, done, out);
  const std::string text = out.str();
  std::size_t edges = 0, drawn = 0, grey = 0;
  for (const auto& node : plan.nodes) edges += node.needs.size();
  for (std::size_t at = 0; (at = text.find("->", at)) != text.npos; ++at) ++drawn;
  for (std::size_t at = 0; (at = text.find("fillcolor=lightgrey", at)) != text.npos; ++at) ++grey;
  CHECK(drawn == edges);
  CHECK(grey == 1);
  CHECK(text.rfind("digraph", 0) == 0);
  CHECK(text.find("km(k=2)") != text.npos);
  // Graphviz reads it, where there is Graphviz.
  if (std::system("command -v dot > /dev/null 2>&1") == 0) {
    const auto file = world.scratch.write("plan.dot", text);
    CHECK(std::system(("dot -Tcanon " + file + " > /dev/null").c_str()) == 0);
  }
}

TEST_CASE("names with quotes do not break the dot output") {
  const PlanWorld world;
  const Plan plan = world.plan(
      run_file(R"(metrics = ["surf_mae"])", {R"(labelled; name = 'a "b" \')"}, {"head"}, {"km"}));
  std::ostringstream out;
  write_dot(plan, {}, out);
  // Every quote inside a label is escaped, and no backslash stands before a closing one.
  CHECK(out.str().find(R"(a \"b\" \\)") != std::string::npos);
}
