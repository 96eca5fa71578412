// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/equal_budget.h"

#include <doctest/doctest.h>

#include "results/formats/format.h"

using namespace conoscope::results;

namespace {

/// Means of two seeds, for K = 1, 2, ...; a negative one lacks a seed.
Sweep sweep(const std::string& method, const std::string& metric, const std::string& direction,
            const std::vector<double>& means) {
  Sweep out{"d", "m", method, metric, direction, {}};
  for (std::size_t i = 0; i < means.size(); ++i) {
    ScoresAtK point{.k = static_cast<std::int64_t>(i) + 1, .by_seed = {}, .asked = 2};
    if (means[i] < 0)
      point.by_seed = {{0, -means[i]}};
    else
      point.by_seed = {{0, means[i]}, {1, means[i]}};
    out.points.push_back(point);
  }
  return out;
}

}  // namespace

TEST_CASE("equal budget: subspaces of 20 numbers do not compete with five") {
  const std::vector<Sweep> used = {sweep("lines", "effective_concepts", "none", {1, 2, 3, 4, 5}),
                                   sweep("shared", "effective_concepts", "none", {4, -5, 50}),
                                   sweep("subspaces", "effective_concepts", "none", {20, 40})};
  const std::vector<Sweep> scores = {sweep("lines", "error", "lower", {9, 8, 7, 6, 0.5}),
                                     sweep("lines", "hits", "higher", {1, 2, 3, 4, 5}),
                                     sweep("shared", "error", "lower", {0.25, 0.1, 0.01}),
                                     sweep("shared", "hits", "higher", {6, 7, 8}),
                                     sweep("subspaces", "error", "lower", {0, 0}),
                                     sweep("subspaces", "hits", "higher", {9, 9})};
  CHECK(to_text(equal_budget_table(used, scores, {"error", "hits"}, 5.0), Format::csv) ==
        "rank,dataset,model,method,k,used,used_half_width,used_n,used_message,error,"
        "error_half_width,error_n,hits,hits_half_width,hits_n\n"
        "1,d,m,shared,1,4,0,2,,0.25,0,2,6,0,2\n"
        "2,d,m,lines,5,5,0,2,,0.5,0,2,5,0,2\n"
        ",d,m,subspaces,,,,0,\"subspaces uses 20.00 or more, at every K\",,,,,,\n");
  // With room for all, the subspaces win; a tie shares its rank.
  const Table all = equal_budget_table(used, scores, {"error", "hits"}, 40.0);
  CHECK(std::get<std::string>(all.rows[0][3]) == "subspaces");
  CHECK(std::get<std::int64_t>(all.rows[0][4]) == 2);
  const std::vector<Sweep> alike = {sweep("a", "effective_concepts", "none", {1, 2}),
                                    sweep("b", "effective_concepts", "none", {2, 2})};
  const Table tie = equal_budget_table(
      alike, {sweep("a", "error", "lower", {3, 1}), sweep("b", "error", "lower", {1, 0})},
      {"error"}, 2.0);
  CHECK(std::get<std::int64_t>(tie.rows[0][0]) == 1);
  CHECK(std::get<std::int64_t>(tie.rows[1][0]) == 1);
  CHECK(std::get<std::int64_t>(tie.rows[1][4]) == 1);  // of equal use the smallest K
}

TEST_CASE("equal budget: a metric without a direction has no rank, no method no row") {
  const std::vector<Sweep> used = {sweep("a", "effective_concepts", "none", {1, 2})};
  const Table table = equal_budget_table(used, {sweep("a", "cost", "none", {3, 1})}, {"cost"}, 2.0);
  CHECK(std::holds_alternative<std::monostate>(table.rows[0][0]));
  CHECK(equal_budget_table({}, {}, {"cost"}, 2.0).rows.empty());
}

TEST_CASE("equal budget: methods of runs that asked for different metrics") {
  const std::vector<Sweep> used = {sweep("a", "effective_concepts", "none", {1, 2}),
                                   sweep("b", "effective_concepts", "none", {1, 2}),
                                   sweep("c", "effective_concepts", "none", {1, 2})};
  const std::vector<Sweep> scores = {
      sweep("a", "hits", "higher", {1, 2}), sweep("b", "error", "lower", {3, 4}),
      sweep("b", "hits", "higher", {5, 6}), sweep("c", "error", "lower", {1, 2})};
  // Each number stands below its metric; what was not asked for is empty, and what nobody has is no
  // column.
  CHECK(to_text(equal_budget_table(used, scores, {"error", "speed", "hits"}, 2.0), Format::csv) ==
        "rank,dataset,model,method,k,used,used_half_width,used_n,used_message,error,"
        "error_half_width,error_n,hits,hits_half_width,hits_n\n"
        "1,d,m,c,2,2,0,2,,2,0,2,,,\n"
        "2,d,m,b,2,2,0,2,,4,0,2,6,0,2\n"
        ",d,m,a,2,2,0,2,,,,,2,0,2\n");
}
