// SPDX-License-Identifier: Apache-2.0
#include "harness/core/plan/split.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "tests/support/plan_world.h"

using namespace conoscope::core;
using conoscope::testing::PlanWorld;
using conoscope::testing::run_file;

namespace {

/// Like full.toml: each dataset has a model for each seed, and each model four explainers.
Plan full_like() {
  return PlanWorld().plan(run_file(
      R"(seeds = [0, 1, 2, 3, 4]; controls = ["none", "random_importance"]; metrics = ["surf_mae"])",
      {"labelled", "bare", "with_head"}, {"head"}, {"km; params = { k = [1, 2, 3, 4] }"}));
}

std::vector<std::size_t> all_of(const Plan& plan) {
  std::vector<std::size_t> out(plan.cells.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

Split split(const Plan& plan, std::size_t shards,
            const std::map<std::string, double>& seconds = {}) {
  return split_cells(plan, all_of(plan), shards, cell_weights(plan, seconds));
}

std::vector<double> loads(const Split& split, const std::vector<double>& weight) {
  std::vector<double> out(split.shards, 0.0);
  for (std::size_t i = 0; i < weight.size(); ++i) out.at(split.shard_of[i]) += weight[i];
  return out;
}

/// How many models are made in all, by shards that share nothing.
std::size_t trainings(const Plan& plan, const Split& split) {
  std::set<std::pair<std::size_t, std::size_t>> made;
  for (std::size_t i = 0; i < plan.cells.size(); ++i)
    for (const std::size_t node : plan.nodes[plan.cells[i].score_nodes[0]].needs)
      if (plan.nodes[node].stage == Stage::kModel) made.insert({split.shard_of[i], node});
  return made.size();
}

}  // namespace

TEST_CASE("shards are disjoint, together complete, and keep an explanation's controls") {
  const Plan plan = full_like();
  for (const std::size_t shards : {1, 2, 3, 8, 40, 100'000}) {
    CAPTURE(shards);
    const Split parts = split(plan, shards);
    CHECK(parts.shards == shards);
    REQUIRE(parts.shard_of.size() == plan.cells.size());
    std::map<std::string, std::set<std::size_t>> where;
    for (std::size_t i = 0; i < plan.cells.size(); ++i) {
      const Cell& cell = plan.cells[i];
      CHECK(parts.shard_of[i] < shards);
      where[cell.dataset->key + cell.explainer->key + std::to_string(cell.seed)].insert(
          parts.shard_of[i]);
    }
    for (const auto& [explanation, in] : where) CHECK(in.size() == 1);
  }
}

TEST_CASE("eight shards of a full matrix train each model once") {
  const Plan plan = full_like();
  REQUIRE(plan.cells.size() == 15 * 4 * 2);
  const Split parts = split(plan, 8);
  CHECK(trainings(plan, parts) == 15);
  // Fifteen equal groups, eight shards.
  for (const double load : loads(parts, cell_weights(plan, {}))) CHECK(load <= 2 * 4 * 2);
  for (const auto& doubled : doubled_nodes(plan, parts))
    CHECK(plan.nodes[doubled.node].stage == Stage::kDataset);
}

TEST_CASE("a group is cut where it exceeds its share, and no further") {
  const Plan plan = full_like();
  // One model's explanations take two fifths of all, where each of three shards has a third.
  std::vector<double> weight(plan.cells.size(), 1.0);
  const auto is_long = [&](std::size_t i) {
    return plan.cells[i].seed == 3 && plan.cells[i].dataset->name == "bare";
  };
  for (std::size_t i = 0; i < weight.size(); ++i)
    if (is_long(i)) weight[i] = 9.0;
  const Split parts = split_cells(plan, all_of(plan), 3, weight);
  std::set<std::size_t> in;
  for (std::size_t i = 0; i < weight.size(); ++i)
    if (is_long(i)) in.insert(parts.shard_of[i]);
  CHECK(in.size() == 2);
  CHECK(trainings(plan, parts) == 15 + 1);
  std::size_t models = 0;
  for (const auto& doubled : doubled_nodes(plan, parts))
    if (plan.nodes[doubled.node].stage == Stage::kModel) {
      ++models;
      CHECK(std::set<std::size_t>(doubled.shards.begin(), doubled.shards.end()) == in);
    }
  CHECK(models == 1);
  for (const double load : loads(parts, weight)) CHECK(load <= 184.0 / 3 * 4 / 3);
}

TEST_CASE("one model alone is shared out by its explanations") {
  const Plan plan = PlanWorld().plan(
      run_file(R"(metrics = ["surf_mae"]; controls = ["none", "random_importance"])", {"bare"},
               {"head"}, {"km; params = { k = [1, 2, 3, 4, 5, 6] }"}));
  const auto weight = cell_weights(plan, {});
  CHECK(loads(split(plan, 3), weight) == std::vector<double>{4, 4, 4});
  CHECK(loads(split(plan, 6), weight) == std::vector<double>(6, 2));
  const auto many = loads(split(plan, 9), weight);  // there are but six parts
  CHECK(std::count(many.begin(), many.end(), 0.0) == 3);
}

TEST_CASE("recorded seconds weigh, and what was never run weighs as the mean of the rest") {
  const Plan plan = full_like();
  std::map<std::string, double> seconds;
  for (const Component& explainer : plan.explainers)
    if (explainer.name != "km(k=4)") seconds[explainer.key] = explainer.name == "km(k=2)" ? 7 : 1;
  const auto weight = cell_weights(plan, seconds);
  for (std::size_t i = 0; i < weight.size(); ++i) {
    const std::string& name = plan.cells[i].explainer->name;
    CHECK(weight[i] == (name == "km(k=2)" ? 7 : name == "km(k=4)" ? 3 : 1));
  }
  CHECK(cell_weights(plan, {}) == std::vector<double>(plan.cells.size(), 1.0));
}

TEST_CASE("only the cells that are given are split") {
  const Plan plan = full_like();
  const Split parts = split_cells(plan, {1, 5}, 2, cell_weights(plan, {}));
  for (std::size_t i = 0; i < plan.cells.size(); ++i)
    CHECK((parts.shard_of[i] == Split::kNone) == (i != 1 && i != 5));
  CHECK(doubled_nodes(plan, split_cells(plan, {}, 2, cell_weights(plan, {}))).empty());
}
