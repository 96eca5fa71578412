// SPDX-License-Identifier: Apache-2.0
// What a plan makes of controls: twins of an explanation, and explanations of their own.

#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <set>
#include <span>

#include "harness/core/plan/plan.h"
#include "tests/support/bytes_of.h"
#include "tests/support/plan_world.h"

using namespace conoscope::core;
using conoscope::testing::left_out_of;
using conoscope::testing::PlanWorld;
using conoscope::testing::run_file;

namespace {

Plan judged_for_kept_concepts(const std::string& controls) {
  return PlanWorld().plan("metrics = [\"surf_mae\", \"kept_concepts\"]\ncontrols = " + controls +
                          run_file("", {"labelled"}, {"head"}, {"km"}));
}

}  // namespace

TEST_CASE("the manual says what each control does") {
  const auto file = std::filesystem::path(CONOSCOPE_SOURCE_DIR) / "docs/command.md";
  const std::string manual = conoscope::testing::bytes_of(file);
  for (const Control& control : std::span(controls()).subspan(1))  // "none" does nothing
    CHECK_MESSAGE(manual.find('`' + control.name + '`') != manual.npos, control.name);
}

TEST_CASE("an explainer may have controls of its own") {
  const PlanWorld world;
  const Plan plan = world.plan(run_file(
      R"(metrics = ["surf_mae"]; controls = ["none"])", {"labelled"}, {"head"},
      {"km", R"(km; params = { k = 2 }; controls = ["random_importance", "random_concepts"])"}));
  std::vector<std::string> labels;
  for (const auto& cell : plan.cells) labels.push_back(cell.label());
  CHECK(labels == std::vector<std::string>{"labelled x head x km #0",
                                           "labelled x head x km(k=2) #0 random_importance",
                                           "labelled x head x km(k=2) #0 random_concepts"});
}

TEST_CASE("some controls have an explanation of their own, drawn once for all explainers") {
  const PlanWorld world;
  const Plan plan = world.plan(run_file(
      R"(metrics = ["surf_mae"]; seeds = [0, 1]; controls = ["none", "random_importance", "random_model", "poisoned", "noisy"])",
      {"labelled"}, {"head"}, {"km", "km; params = { k = 2 }"}));
  REQUIRE(plan.cells.size() == 20);
  std::map<std::string, std::set<std::size_t>> explained;  // by control
  std::map<std::string, std::map<std::int64_t, std::set<std::uint64_t>>> drawn;
  std::set<std::uint64_t> seeds[2];  // of the explainers' own draws
  for (const auto& cell : plan.cells) {
    const std::size_t made = plan.nodes[cell.score_nodes[0]].needs[2];
    const Node& node = plan.nodes[made];
    explained[cell.control].insert(made);
    CHECK(node.control == (control_named(cell.control).explains_anew() ? cell.control : "none"));
    drawn[cell.control][cell.seed].insert(node.control_seed);
    seeds[cell.seed].insert(node.seed);
  }
  CHECK(explained["none"] == explained["random_importance"]);
  std::set<std::size_t> all;
  for (const auto& [control, nodes] : explained) {
    CHECK(nodes.size() == 4);
    all.insert(nodes.begin(), nodes.end());
  }
  CHECK(all.size() == 16);
  for (const char* control : {"random_model", "poisoned", "noisy"}) {
    CHECK(drawn[control][0].size() == 1);
    CHECK(drawn[control][1].size() == 1);
    CHECK(drawn[control][0] != drawn[control][1]);
  }
  CHECK(drawn["poisoned"] == drawn["noisy"]);  // the same samples are moved
  CHECK(drawn["poisoned"][0] != drawn["random_model"][0]);
  for (const auto& of_seed : seeds) CHECK(of_seed.size() == 2);  // of the explainers alone
}

TEST_CASE(
    "twins of a dictionary are planned for what offers one, with its seed; others are left out") {
  const PlanWorld world;
  world.plugin("explainer", "sae",
               "needs = [\"head_view\"]\noffers = [\"explanation\", \"dictionary\"]\n");
  const Plan plan = world.plan(run_file(
      R"(metrics = ["surf_mae"]; controls = ["none", "frozen_decoder", "random_l0", "permuted_decoder"])",
      {"labelled"}, {"head"}, {"km", "sae"}));
  std::map<std::string, const Node*> made;
  for (const auto& cell : plan.cells)
    if (cell.explainer->id == "sae")
      made[cell.control] = &plan.nodes[plan.nodes[cell.score_nodes[0]].needs[2]];
    else
      CHECK(cell.control == "none");
  REQUIRE(made.size() == 4);
  CHECK(made["permuted_decoder"] == made["none"]);  // codes and atoms of the same fit
  CHECK(made["frozen_decoder"]->control == "frozen_decoder");
  CHECK(made["frozen_decoder"]->identity != made["random_l0"]->identity);
  for (const auto& [control, node] : made) CHECK(node->seed == made["none"]->seed);
  CHECK(plan.skipped ==
        std::vector<std::string>{"labelled x head x km x frozen_decoder: missing dictionary",
                                 "labelled x head x km x random_l0: missing dictionary",
                                 "labelled x head x km x permuted_decoder: missing dictionary"});
}

TEST_CASE(
    "what compares with the clean explanation is not asked for where no control moves samples") {
  const Plan plan = judged_for_kept_concepts(R"(["none", "random_model"])");
  const std::string why =
      "kept_concepts: missing a control that moves the training samples (poisoned or noisy)";
  CHECK(plan.skipped == std::vector<std::string>{"labelled x head x km x " + why});
  REQUIRE(plan.cells.size() == 2);
  for (const auto& cell : plan.cells) CHECK(left_out_of(cell) == std::vector<std::string>{why});
}

TEST_CASE("what compares with the clean explanation is scored where samples were moved") {
  const Plan plan = judged_for_kept_concepts(
      R"(["none", "random_concepts", "random_model", "poisoned", "noisy"])");
  REQUIRE(plan.cells.size() == 5);
  const std::size_t clean = plan.nodes[plan.cells[0].score_nodes[0]].needs[2];
  for (const auto& cell : plan.cells) {
    CAPTURE(cell.control);
    const Node& own = plan.nodes[cell.score_nodes[0]];
    CHECK(own.metrics == std::vector<std::string>{"surf_mae"});
    CHECK(own.peers.empty());
    CHECK(cell.peer_metrics.empty());
    if (cell.control != "poisoned" && cell.control != "noisy") {
      CHECK(cell.score_nodes.size() == 1);
      CHECK(left_out_of(cell) ==
            std::vector<std::string>{
                "kept_concepts: it judges only the controls poisoned and noisy"});
      continue;
    }
    CHECK(left_out_of(cell).empty());
    REQUIRE(cell.score_nodes.size() == 2);
    const Node& compared = plan.nodes[cell.score_nodes[1]];
    CHECK(compared.metrics == std::vector<std::string>{"kept_concepts"});
    CHECK(compared.key != own.key);
    REQUIRE(compared.needs.size() == 4);
    CHECK(compared.needs[2] == own.needs[2]);
    CHECK(own.needs[2] != clean);
    REQUIRE(compared.peers.size() == 1);
    CHECK(compared.peers[0].model == own.needs[1]);
    CHECK(compared.peers[0].explanation == clean);
  }
}
