// SPDX-License-Identifier: Apache-2.0
#include "harness/core/plan/over_seeds.h"

#include <doctest/doctest.h>

#include <set>

#include "tests/support/plan_world.h"

using namespace conoscope::core;
using conoscope::testing::PlanWorld;
using conoscope::testing::run_file;

namespace {

const std::string kParts =
    run_file(R"(controls = ["none", "random_concepts"])", {"labelled"}, {"head"}, {"km"});

const std::string kThree = "seeds = [2, 0, 1]\nmetrics = [\"surf_mae\", \"stability\"]\n" + kParts;

}  // namespace

TEST_CASE("over seeds: a cell's own scores do not wait for its peers") {
  const PlanWorld world;
  const Plan plan = world.plan(kThree);
  CHECK(plan.metrics == std::vector<std::string>{"surf_mae", "stability"});
  std::size_t explained = 0;
  for (const Cell& cell : plan.cells) {
    if (cell.explainer == nullptr) continue;
    ++explained;
    CHECK(plan.nodes[cell.score_nodes[0]].metrics == std::vector<std::string>{"surf_mae"});
    CHECK(cell.peer_metrics == std::vector<std::string>{"stability"});
    for (const std::size_t node : cell.score_nodes) {
      CHECK(plan.nodes[node].needs.size() == 3);
      CHECK(plan.nodes[node].peers.empty());
    }
  }
  CHECK(explained == 6);
}

TEST_CASE(
    "over seeds: peers have the same parts and control, and are in the order of their seeds") {
  const PlanWorld world;
  const Plan plan = world.plan(kThree);
  const auto peers = peers_of_cells(plan);
  CHECK(peers.size() == 6);
  for (const auto& [cell, others] : peers) {
    REQUIRE(others.size() == 2);
    CHECK(plan.cells[others[0]].seed < plan.cells[others[1]].seed);
    for (const std::size_t other : others) {
      CHECK(plan.cells[other].explainer == plan.cells[cell].explainer);
      CHECK(plan.cells[other].control == plan.cells[cell].control);
      CHECK(plan.cells[other].seed != plan.cells[cell].seed);
    }
  }
}

TEST_CASE("over seeds: with one seed there is nothing to compare with, which is a reason") {
  const PlanWorld world;
  const Plan plan = world.plan("metrics = [\"surf_mae\", \"stability\"]\n" + kParts);
  CHECK(peers_of_cells(plan).empty());
  for (const Cell& cell : plan.cells) {
    if (cell.explainer == nullptr) continue;
    REQUIRE(cell.not_applicable.size() == 1);
    CHECK(cell.not_applicable[0].score == "stability");
    CHECK(cell.not_applicable[0].why == "missing other seeds of the same cell");
  }
}

TEST_CASE("over seeds: asked for alone they still make their cells' explanations") {
  const PlanWorld world;
  const Plan plan = world.plan("seeds = [0, 1]\nmetrics = [\"stability\"]\n" + kParts);
  REQUIRE(plan.cells.size() == 4);
  for (const Cell& cell : plan.cells) {
    REQUIRE(cell.score_nodes.size() == 1);
    CHECK(plan.nodes[cell.score_nodes[0]].metrics.empty());
    CHECK(plan.nodes[cell.score_nodes[0]].needs.size() == 3);
  }
}

TEST_CASE("over seeds: a plan of its own, of the artifacts that are compared") {
  const PlanWorld world;
  const Plan plan = world.plan(kThree);
  auto peers = peers_of_cells(plan);
  peers.erase(std::next(peers.begin()), peers.end());
  const auto& [index, others] = *peers.begin();
  const Cell& cell = plan.cells[index];
  const Plan over_seeds = plan_over_seeds(plan, peers);
  CHECK(over_seeds.run_key == plan.run_key);
  CHECK(over_seeds.metrics == std::vector<std::string>{"stability"});
  REQUIRE(over_seeds.cells.size() == 1);
  const Cell& compared = over_seeds.cells[0];
  CHECK(compared.key == cell.key);
  CHECK(compared.not_applicable.empty());
  REQUIRE(compared.peers.size() == 2);
  REQUIRE(compared.score_nodes.size() == 1);
  const Node& score = over_seeds.nodes[compared.score_nodes[0]];
  CHECK(score.component == nullptr);
  CHECK(score.metrics == std::vector<std::string>{"stability"});
  // Dataset, model and explanation of the cell, then model and explanation of each peer; the
  // datasets of the peers are there, for they may have to be made again.
  REQUIRE(score.needs.size() == 7);
  CHECK(over_seeds.nodes[score.needs[0]].stage == Stage::kDataset);
  CHECK(over_seeds.nodes[score.needs[2]].key ==
        plan.nodes[plan.nodes[cell.score_nodes[0]].needs[2]].key);
  CHECK(over_seeds.nodes.size() == 10);
  REQUIRE(score.peers.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const Cell& other = plan.cells[others[i]];
    CHECK(compared.peers[i] == other.key);
    CHECK(score.peers[i].control_seed == other.control_seed);
    CHECK(score.peers[i].seed == other.seed);
    const auto& artifacts = plan.nodes[other.score_nodes[0]].needs;
    CHECK(over_seeds.nodes[score.peers[i].model].key == plan.nodes[artifacts[1]].key);
    CHECK(over_seeds.nodes[score.peers[i].explanation].key == plan.nodes[artifacts[2]].key);
  }
  std::set<std::string> keys;
  for (std::size_t i = 0; i < over_seeds.nodes.size(); ++i) {
    CHECK(keys.insert(over_seeds.nodes[i].key).second);
    for (const std::size_t need : over_seeds.nodes[i].needs) CHECK(need < i);
  }
}
