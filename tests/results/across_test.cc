// SPDX-License-Identifier: Apache-2.0
#include "results/boards/across.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "results/formats/format.h"

using namespace conoscope::results;

namespace {

Field score(double mean) { return Estimate{mean, 0.5, 3, 3}; }

/// As board() gives it: sorted by dataset, model and rank.
Table board_of(std::vector<std::vector<Field>> rows) {
  return {{{"rank", ColumnType::kInteger},
           {"dataset"},
           {"model"},
           {"explainer"},
           {"coverage", ColumnType::kCoverage},
           {"mae", ColumnType::kEstimate},
           {"mae@random", ColumnType::kEstimate},
           {"top1", ColumnType::kEstimate}},
          std::move(rows)};
}

std::vector<Field> row(const std::string& dataset, const std::string& model,
                       const std::string& explainer, Field mae, Field top1) {
  return {std::int64_t{1}, dataset, model, explainer, Coverage{3, 3}, mae, score(9), top1};
}

}  // namespace

TEST_CASE("across: explainers down, datasets and metrics across, in the order of the first ranks") {
  const Table turned = across_datasets(board_of({
      row("a", "m", "z", score(1), score(0.9)),
      row("a", "m", "y", score(2), score(0.8)),
      row("b", "m", "x", score(3), {}),
      row("b", "m", "y", score(4), {}),
      row("b", "m", "w", score(5), {}),
  }));
  // No column for top1 on b, where nobody has it, and none for the control.
  CHECK(to_text(turned, Format::csv) ==
        "explainer,a: mae,a: mae_half_width,a: mae_n,a: top1,a: top1_half_width,a: top1_n,"
        "b: mae,b: mae_half_width,b: mae_n\n"
        "z,1,0.5,3,0.9,0.5,3,,,\n"
        "y,2,0.5,3,0.8,0.5,3,4,0.5,3\n"
        "w,,,,,,,5,0.5,3\n"
        "x,,,,,,,3,0.5,3\n");
}

TEST_CASE("across: several models of one dataset stay apart") {
  const Table turned =
      across_datasets(board_of({row("a", "m", "z", score(1), {}), row("a", "n", "z", score(2), {}),
                                row("b", "n", "z", score(3), {})}));
  REQUIRE(turned.columns.size() == 4);
  CHECK(turned.columns[1].name == "a, m: mae");
  CHECK(turned.columns[2].name == "a, n: mae");
  CHECK(turned.columns[3].name == "b: mae");
  CHECK(turned.rows.size() == 1);
}

TEST_CASE("across: an empty board stays empty, and what is no board is refused") {
  CHECK(across_datasets(board_of({})).rows.empty());
  CHECK(across_datasets(board_of({})).columns.size() == 1);
  CHECK_THROWS_AS(across_datasets(Table{{{"dataset"}, {"model"}}, {}}), std::invalid_argument);
}

TEST_CASE("across: models that are judged themselves are rows") {
  const auto model_row = [](const std::string& dataset, const std::string& model, double mae) {
    auto out = row(dataset, model, "", score(mae), {});
    out[3] = Field();
    return out;
  };
  std::vector<std::vector<Field>> rows = {model_row("a", "m", 1), model_row("a", "n", 2),
                                          model_row("b", "n", 3)};
  const Table turned = across_datasets(board_of(rows));
  CHECK(to_text(turned, Format::csv) ==
        "model,a: mae,a: mae_half_width,a: mae_n,b: mae,b: mae_half_width,b: mae_n\n"
        "m,1,0.5,3,,,\n"
        "n,2,0.5,3,3,0.5,3\n");
  rows.push_back(row("b", "n", "z", score(4), {}));
  const Table mixed = across_datasets(board_of(rows));
  CHECK(mixed.columns[0].name == "method");
  REQUIRE(mixed.columns.size() == 4);
  CHECK(mixed.columns[2].name == "b: mae");
  CHECK(mixed.columns[3].name == "b, n: mae");
  CHECK(mixed.rows.size() == 3);
}
