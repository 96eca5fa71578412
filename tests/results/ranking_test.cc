// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/ranking.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

using namespace conoscope::results;

namespace {

Estimate mean(double value, std::int64_t n = 2) { return {value, std::nullopt, n, 2, {}, false}; }

Table board() {
  Table out;
  out.columns = {{"dataset"},
                 {"model"},
                 {"explainer"},
                 {"error", ColumnType::kEstimate},
                 {"error@random", ColumnType::kEstimate}};
  const auto add = [&](const char* model, const char* explainer, Estimate error, Estimate random) {
    out.add({"d", model, explainer, std::move(error), std::move(random)});
  };
  add("m", "near", mean(1), mean(3));
  add("m", "same", mean(1), mean(5));
  add("m", "far", mean(6), mean(0, 0));     // without a control: no part of the control's mean
  add("m", "partly", mean(0, 1), mean(4));  // lacks a seed
  add("other", "alone", mean(9), mean(8));
  return out;
}

std::vector<std::string> explainers(const Table& table) {
  std::vector<std::string> out;
  for (const auto& row : table.rows) out.push_back(std::get<std::string>(row[2]));
  return out;
}

std::vector<std::string> best(const Table& table) {
  std::vector<std::string> out;
  for (const auto& row : table.rows)
    if (std::get<Estimate>(row[3]).best) out.push_back(std::get<std::string>(row[2]));
  return out;
}

}  // namespace

TEST_CASE("ranking: the best over all seeds, and its equals, for each dataset and model") {
  Table lower = board(), higher = board(), none = board();
  mark_best(lower, "error", "lower");
  CHECK(best(lower) == std::vector<std::string>{"near", "same", "alone"});
  mark_best(higher, "error", "higher");
  CHECK(best(higher) == std::vector<std::string>{"far", "alone"});
  mark_best(none, "error", "none");
  CHECK_THROWS_AS(mark_best(none, "no_such_metric", "lower"), std::invalid_argument);
  CHECK(best(none).empty());
}

TEST_CASE("ranking: models that nothing explains compete with each other on their dataset") {
  Table table;
  table.columns = {{"dataset"}, {"model"}, {"explainer"}, {"error", ColumnType::kEstimate}};
  table.add({"d", "m", "e", mean(7)});
  table.add({"d", "m", Field(), mean(2)});
  table.add({"d", "n", Field(), mean(1)});
  table.add({"other", "n", Field(), mean(3)});
  mark_best(table, "error", "lower");
  std::string marks;
  for (const auto& row : table.rows) marks += std::get<Estimate>(row[3]).best ? '1' : '0';
  CHECK(marks == "1011");
  add_control_lines(table, "error", "lower");
  CHECK(table.rows.size() == 4);
}

TEST_CASE("ranking: a control's line is where its mean over the explainers stands") {
  Table table = board();
  add_control_lines(table, "error", "lower");
  // (3 + 5 + 4) / 3 = 4 in the first contest, 8 in the second.
  CHECK(explainers(table) == std::vector<std::string>{"near", "same", "-- random --", "far",
                                                      "partly", "-- random --", "alone"});
  const auto& line = std::get<Estimate>(table.rows[2][3]);
  CHECK(line.mean == 4.0);
  CHECK(line.n == 3);
  CHECK(line.asked == 3);
  table = board();
  add_control_lines(table, "error", "none");
  CHECK(table.rows.size() == 5);
}
