// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/pareto.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "results/formats/format.h"
#include "tests/support/throws.h"

using namespace conoscope::results;

namespace {

Estimate mean(double value, std::int64_t n = 2) { return {value, std::nullopt, n, 2, {}, false}; }

Table board() {
  Table out;
  out.columns = {{"dataset"},
                 {"model"},
                 {"explainer"},
                 {"coverage", ColumnType::kCoverage},
                 {"error", ColumnType::kEstimate},
                 {"hits", ColumnType::kEstimate}};
  const auto add = [&](const char* model, const char* explainer, Estimate error, Estimate hits) {
    out.add({"d", model, explainer, Coverage{error.n, 2}, std::move(error), std::move(hits)});
  };
  add("m", "near", mean(1), mean(5));
  add("m", "far", mean(4), mean(9));
  add("m", "between", mean(2), mean(5));    // near has as many hits and a smaller error
  add("m", "same", mean(1), mean(5));       // as near: neither beats the other
  add("m", "partly", mean(0, 1), mean(9));  // would beat all, but lacks a seed
  add("other", "alone", mean(9), mean(0));
  return out;
}

std::vector<std::string> marks(const Table& table) {
  std::vector<std::string> out;
  for (const auto& row : table.rows) {
    const auto* text = std::get_if<std::string>(&row[4]);
    out.push_back(text ? *text : "");
  }
  return out;
}

}  // namespace

TEST_CASE("pareto: who is beaten on no axis without being better on another") {
  Table table = board();
  mark_pareto(table, {{"error", false}, {"hits", true}});
  CHECK(table.columns[4].name == "pareto");
  CHECK(table.columns[5].name == "error");
  CHECK(marks(table) == std::vector<std::string>{"yes", "yes", "no", "yes", "", "yes"});
  to_text(table, Format::csv);
}

TEST_CASE("pareto: models that nothing explains compete with each other on their dataset") {
  Table table = board();
  table.add({"d", "m", Field(), Coverage{2, 2}, mean(9), mean(1)});
  table.add({"d", "n", Field(), Coverage{2, 2}, mean(8), mean(1)});
  mark_pareto(table, {{"error", false}, {"hits", true}});
  CHECK(marks(table) ==
        std::vector<std::string>{"yes", "yes", "no", "yes", "", "yes", "no", "yes"});
}

TEST_CASE("pareto: the better end decides, and one axis leaves the best alone") {
  Table table = board();
  mark_pareto(table, {{"error", false}, {"hits", false}});
  CHECK(marks(table) == std::vector<std::string>{"yes", "no", "no", "yes", "", "yes"});
  table = board();
  mark_pareto(table, {{"error", true}});
  CHECK(marks(table) == std::vector<std::string>{"no", "yes", "no", "no", "", "yes"});
}

TEST_CASE("pareto: an axis has to be there") {
  Table table = board();
  CHECK_THROWS_SAYING((mark_pareto(table, {{"misses", true}}), 0), std::invalid_argument,
                      "no column misses");
  CHECK_THROWS_SAYING((mark_pareto(table, {}), 0), std::invalid_argument, "no metric");
  CHECK(table.columns.size() == 6);
}
