// SPDX-License-Identifier: Apache-2.0
// Which calls of the model an explainer may make.

#include <doctest/doctest.h>

#include <algorithm>
#include <boost/algorithm/string/join.hpp>
#include <map>
#include <string>
#include <vector>

#include "harness/core/plan/plan.h"
#include "tests/support/plan_world.h"

using namespace conoscope::core;
using conoscope::testing::PlanWorld;
using conoscope::testing::run_file;

TEST_CASE("an explainer that calls the model is paired with models that answer") {
  const PlanWorld world;
  world.plugin("dataset", "segmented", "offers = [\"labels\", \"segments\"]\n");
  world.plugin("model", "answering", "offers = [\"head_view\", \"forward\"]\n");
  world.plugin("explainer", "caller", "needs = [\"head_view\", \"forward\"]\n");
  world.plugin("explainer", "either", "needs = [\"head_view\", \"segments or forward\"]\n");
  world.plugin("model", "open", "offers = [\"head_view\", \"forward\", \"head\"]\n");
  world.plugin("explainer", "above", "needs = [\"head_view\", \"head\"]\n");
  const Plan plan = world.plan(run_file(R"(metrics = ["surf_mae"])", {"labelled", "segmented"},
                                        {"head", "answering"}, {"caller", "either"}));
  CHECK(plan.skipped ==
        std::vector<std::string>{"labelled x head x caller: missing forward",
                                 "labelled x head x either: missing segments or forward",
                                 "segmented x head x caller: missing forward"});
  std::map<std::string, std::string> called;
  for (const Cell& cell : plan.cells)
    for (const std::size_t score : cell.score_nodes)
      for (const std::size_t need : plan.nodes[score].needs)
        if (plan.nodes[need].stage == Stage::kExplain) {
          const Node& node = plan.nodes[need];
          CHECK(node.called == (node.calls.empty() ? nullptr : cell.model));
          called[cell.dataset->id + " " + cell.model->id + " " + cell.explainer->id] =
              boost::algorithm::join(node.calls, ", ");
        }
  // Whether a dataset really holds what it may hold is known only later.
  CHECK(called == std::map<std::string, std::string>{{"labelled answering caller", "forward"},
                                                     {"labelled answering either", "forward"},
                                                     {"segmented answering caller", "forward"},
                                                     {"segmented answering either", "forward"},
                                                     {"segmented head either", ""}});
  const Plan above = world.plan(
      run_file(R"(metrics = ["surf_mae"])", {"labelled"}, {"answering", "open"}, {"above"}));
  CHECK(above.skipped == std::vector<std::string>{"labelled x answering x above: missing head"});
  const auto asks = std::ranges::find_if(
      above.nodes, [](const Node& node) { return node.stage == Stage::kExplain; });
  REQUIRE(asks != above.nodes.end());
  CHECK(asks->calls == std::vector<std::string>{"head"});
}
