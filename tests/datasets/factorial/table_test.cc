// SPDX-License-Identifier: Apache-2.0
#include "datasets/factorial/table.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

namespace datasets = conoscope::datasets;

TEST_CASE("factor table: every combination, the last factor fastest") {
  const auto table = datasets::every_combination({2, 3});
  CHECK(table.classes == std::vector<std::uint8_t>{0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2});
  CHECK(table.rows() == 6);
  CHECK(table.row(4)[1] == 1);
}

TEST_CASE("factor table: strides") {
  const std::vector<int> sizes = {3, 40};
  using Every = std::vector<std::int64_t>;
  CHECK(datasets::checked_strides(Every{}, sizes, "every") == std::vector<int>{1, 1});
  CHECK(datasets::checked_strides(Every{2, 40}, sizes, "every") == std::vector<int>{2, 40});
  for (const Every& every : {Every{1}, Every{1, 2, 3}, Every{0, 1}, Every{4, 1}, Every{1, 41}})
    CHECK_THROWS_AS(datasets::checked_strides(every, sizes, "every"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(datasets::checked_strides(Every{4, 1}, sizes, "every"),
                       "every is [4, 1], expected 2 whole numbers from 1 to [3, 40]",
                       std::invalid_argument);
}

TEST_CASE("factor table: a grid thinned by strides") {
  const auto table = datasets::every_combination({2, 3});
  CHECK(datasets::rows_on_strides(table, std::vector<int>{1, 2}) ==
        std::vector<std::int64_t>{0, 2, 3, 5});
  const auto ties = [](const auto row, std::size_t step) { return row[step] == row[step + 1]; };
  CHECK(datasets::rows_on_strides(table, std::vector<int>{1, 1}, 1, ties) ==
        std::vector<std::int64_t>{0, 4});
}
