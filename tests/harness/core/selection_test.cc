// SPDX-License-Identifier: Apache-2.0
#include "harness/app/selection.h"

#include <doctest/doctest.h>

#include <map>
#include <set>

#include "harness/app/command.h"
#include "tests/support/plan_world.h"
#include "tests/support/throws.h"

using conoscope::app::select_cells;
using conoscope::app::UsageError;
using conoscope::core::Plan;
using conoscope::testing::PlanWorld;
using conoscope::testing::run_file;

namespace {

Plan make() {
  return PlanWorld().plan(run_file(
      R"(seeds = [0, 1, 2]; controls = ["none", "random_importance"]; metrics = ["surf_mae"])",
      {"labelled", "bare"}, {"head"}, {"km; params = { k = [1, 2, 3, 4] }"}, {"accuracy"}));
}

}  // namespace

TEST_CASE("all cells but the finished ones") {
  const Plan plan = make();
  REQUIRE(plan.cells.size() == 2 * 4 * 3 * 2 + 3);  // and the labelled head itself, three seeds
  CHECK(select_cells(plan, {}, {}, "").size() == plan.cells.size());
  const auto some = select_cells(plan, {plan.cells[0].key, plan.cells[5].key}, {}, "");
  CHECK(some.size() == plan.cells.size() - 2);
  CHECK(some[0] == 1);
  CHECK(std::is_sorted(some.begin(), some.end()));
}

TEST_CASE("--only: values of one key are alternatives, several keys all hold") {
  const Plan plan = make();
  const auto count = [&](const std::vector<std::string>& only) {
    return select_cells(plan, {}, only, "").size();
  };
  CHECK(count({"seed=1"}) == 17);
  CHECK(count({"dataset=bare"}) == 24);
  CHECK(count({"explainer=km"}) == 48);       // by id: the whole sweep
  CHECK(count({"explainer=km(k=2)"}) == 12);  // by name
  CHECK(count({"explainer=none"}) == 3);
  CHECK(count({"control=random_importance"}) == 24);
  CHECK(count({"seed=0", "seed=2"}) == 34);
  CHECK(count({"dataset=labelled", "explainer=km(k=3)", "seed=1", "control=none"}) == 1);
  CHECK(count({"dataset=bare", "explainer=none"}) == 0);  // each fits, together none
  CHECK(select_cells(plan, {}, {"cell=" + plan.cells[7].key.substr(0, 12)}, "") ==
        std::vector<std::size_t>{7});
}

TEST_CASE("--only: what fits nothing is a mistake") {
  const Plan plan = make();
  const auto refused = [&](const std::string& only, const std::string& why) {
    CHECK_THROWS_SAYING(select_cells(plan, {}, {only}, ""), UsageError, "--only " + only, why);
  };
  refused("sed=1", "expected KEY=VALUE (did you mean seed?)");
  refused("seed", "expected KEY=VALUE");
  refused("seed=9", "no cell of this run fits");
  refused("seed=", "expected KEY=VALUE");
  refused("explainer=kmeans", "no cell of this run fits");
  refused("cell=", "expected");
}

TEST_CASE("shards are disjoint, together complete, and keep a cell with its controls") {
  const Plan plan = make();
  for (const std::size_t shards : {1, 2, 3, 7, 16}) {
    std::vector<int> seen(plan.cells.size(), 0);
    std::map<std::string, std::set<std::size_t>> where;
    for (std::size_t i = 1; i <= shards; ++i)
      for (const std::size_t cell :
           select_cells(plan, {}, {}, std::to_string(i) + "/" + std::to_string(shards))) {
        ++seen[cell];
        const auto& c = plan.cells[cell];
        where[c.dataset->key + (c.explainer ? c.explainer->key : "") + std::to_string(c.seed)]
            .insert(i);
      }
    CHECK(seen == std::vector<int>(plan.cells.size(), 1));
    for (const auto& [subject, in] : where) CHECK(in.size() == 1);
  }
  // No shard has everything.
  CHECK(select_cells(plan, {}, {}, "1/2").size() > 10);
  CHECK(select_cells(plan, {}, {}, "2/2").size() > 10);
}

TEST_CASE("a malformed shard is a mistake") {
  const Plan plan = make();
  for (const char* shard : {"0/2", "3/2", "1", "1/", "/2", "a/2", "1/2/3", "-1/2", "1/0", "1.5/2"})
    CHECK_THROWS_SAYING(select_cells(plan, {}, {}, shard), UsageError,
                        std::string("--shard ") + shard, "expected i/N with 1 <= i <= N");
}
