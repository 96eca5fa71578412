// SPDX-License-Identifier: Apache-2.0
#include "harness/core/plan/work_graph.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "conoscope/sdk/random.h"
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

/// The order that knows nothing of results: the head of the longest chain first.
struct ChainsFirst {
  std::vector<double> chains;
  std::set<std::pair<double, std::size_t>> ready;
  bool empty() const { return ready.empty(); }
  void push(std::size_t node) { ready.insert({-chains[node], node}); }
  std::size_t pop() { return ready.extract(ready.begin()).value().second; }
};

struct Schedule {
  std::vector<std::size_t> order;  ///< of beginnings
  double first_score = 0, end = 0;
};

/// What the queue makes of so many workers, who take exactly the seconds that are known.
template <typename Queue>
Schedule schedule(const Plan& plan, Queue queue, const std::map<std::string, double>& seconds,
                  std::size_t workers) {
  std::vector<std::size_t> lacking;
  std::vector<std::vector<std::size_t>> next(plan.nodes.size());
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    lacking.push_back(plan.nodes[i].needs.size());
    for (const std::size_t need : plan.nodes[i].needs) next[need].push_back(i);
    if (lacking[i] == 0) queue.push(i);
  }
  Schedule out;
  std::set<std::pair<double, std::size_t>> running;
  while (!queue.empty() || !running.empty()) {
    while (running.size() < workers && !queue.empty()) {
      const std::size_t node = queue.pop();
      const Component* part = plan.nodes[node].component;
      const auto known = part ? seconds.find(part->key) : seconds.end();
      running.insert({out.end + (known == seconds.end() ? 1.0 : known->second), node});
      out.order.push_back(node);
    }
    const auto [time, node] = *running.begin();
    running.erase(running.begin());
    out.end = time;
    if (plan.nodes[node].stage == Stage::kScore && out.first_score == 0) out.first_score = time;
    for (const std::size_t waiting : next[node])
      if (--lacking[waiting] == 0) queue.push(waiting);
  }
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

TEST_CASE("the queue goes dataset by dataset, seed by seed, and to the end of each") {
  const PlanWorld world;
  const Plan plan =
      world.plan(run_file("seeds = [7, 3]\nmetrics = [\"surf_mae\"]", {"labelled", "fixed"},
                          {"head"}, {"km; params.k = [2, 3]"}));
  // One worker, to whom every fit takes a second but one, which it begins within its model.
  const std::vector<bool> all(plan.nodes.size(), true);
  const std::map<std::string, double> seconds = {{component(plan.explainers, "km(k=3)").key, 5.0}};
  const auto order = schedule(plan, WorkQueue(plan, seconds, all, 1), seconds, 1).order;
  REQUIRE(order.size() == plan.nodes.size());
  std::vector<std::string> cells;
  for (const std::size_t i : order)
    if (plan.nodes[i].stage == Stage::kScore)
      cells.push_back(plan.cells[plan.nodes[i].cell].label());
  CHECK(cells ==
        std::vector<std::string>{"labelled x head x km(k=3) #7", "labelled x head x km(k=2) #7",
                                 "labelled x head x km(k=3) #3", "labelled x head x km(k=2) #3",
                                 "fixed x head x km(k=3) #7", "fixed x head x km(k=2) #7",
                                 "fixed x head x km(k=3) #3", "fixed x head x km(k=2) #3"});
}

TEST_CASE("a chain that takes as long as all that is left goes before everything") {
  const PlanWorld world;
  const Plan plan = plan_of(world);
  const std::vector<bool> all(plan.nodes.size(), true);
  for (const char* slow : {"labelled", "fixed"}) {
    CAPTURE(slow);
    WorkQueue queue(plan, {{component(plan.datasets, slow).key, 60.0}}, all, 2);
    for (const std::size_t i : roots(plan)) queue.push(i);
    REQUIRE_FALSE(queue.empty());
    CHECK(plan.nodes[queue.pop()].component->name == slow);
    CHECK(plan.nodes[queue.pop()].component->name != slow);
    CHECK(queue.empty());
  }
}

TEST_CASE("results come early, and the run ends no later than by the longest chains first") {
  const PlanWorld world;
  std::string seeds = "seeds = [0";
  for (int seed = 1; seed < 10; ++seed) seeds += ", " + std::to_string(seed);
  const Plan plan = world.plan(
      run_file(seeds + "]\nmetrics = [\"surf_mae\"]\ncontrols = [\"none\", \"random_importance\"]",
               {"labelled", "fixed"}, {"head"},
               {"km; params.k = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]"}));
  const std::vector<bool> all(plan.nodes.size(), true);
  for (std::uint64_t draw = 0; draw < 20; ++draw) {
    // From hundredths of a second to minutes, as fits are.
    conoscope::sdk::Random random{conoscope::sdk::Seed(draw)};
    std::map<std::string, double> seconds;
    for (const Component* part : plan.components())
      seconds[part->key] = std::exp(2.0 * random.normal());
    const auto chains = longest_chains(plan, seconds, all);
    for (const std::uint32_t workers : {2U, 8U, 64U}) {
      CAPTURE(draw);
      CAPTURE(workers);
      const Schedule now = schedule(plan, WorkQueue(plan, seconds, all, workers), seconds, workers);
      const Schedule before = schedule(plan, ChainsFirst{chains, {}}, seconds, workers);
      REQUIRE(now.order.size() == plan.nodes.size());
      CHECK(now.end <= 1.05 * before.end);
      CHECK(now.first_score <= before.first_score);
    }
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
