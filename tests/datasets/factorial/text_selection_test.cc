// SPDX-License-Identifier: Apache-2.0
#include "datasets/factorial/text_selection.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <stdexcept>
#include <vector>

namespace datasets = conoscope::datasets;
using conoscope::sdk::Seed;
using Values = std::set<int>;

namespace {

std::vector<std::int64_t> select(const datasets::FactorTable& table, std::int64_t gamma,
                                 datasets::DecidingConcept decides, std::uint64_t seed = 0) {
  return datasets::select_rows_by_text(table, gamma, decides, Seed(seed));
}

}  // namespace

TEST_CASE("selection by the text: sizes for gamma 0, every other value of all but the first") {
  const auto sprites = datasets::every_combination({3, 6, 40, 32, 32});
  CHECK(select(sprites, 0, {0, 2}).size() == 3 * 3 * 20 * 16 * 16);
  const auto shapes = datasets::every_combination({10, 10, 10, 8, 4, 15});
  CHECK(select(shapes, 0, {4, 2}).size() == 16000);
}

TEST_CASE("selection by the text: the size stays where half of the values is every other one") {
  const auto table = datasets::every_combination({3, 6, 8});
  CHECK(select(table, 0, {0, 2}).size() == 3 * 3 * 4);
  CHECK(select(table, 1, {0, 2}).size() == 3 * 3 * 4);
  CHECK(select(table, 2, {0, 2}).size() == 3 * 3 * 4);
}

TEST_CASE("selection by the text: pools are the concept's, not those of the factor before") {
  // The third factor, T = 8: of 1 to 6 where the first factor is low, of 2 to 8 where it is high,
  // whatever the second one is.
  const auto table = datasets::every_combination({3, 6, 8});
  Values low, high;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::map<std::pair<bool, int>, Values> of;
    for (const auto i : select(table, 2, {0, 2}, seed)) {
      const auto row = table.row(i);
      of[{row[0] < 2, row[1]}].insert(row[2]);
      (row[0] < 2 ? low : high).insert(row[2]);
    }
    for (const auto& [given, values] : of) CHECK(values.size() == 4);  // floor(8 / 2)
  }
  CHECK(low == Values{0, 1, 2, 3, 4, 5});
  CHECK(high == Values{1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("selection by the text: sets of a step are those of a weaker gamma, and of the seed") {
  const auto table = datasets::every_combination({3, 6, 8});
  const auto scales = [&](std::int64_t gamma, std::uint64_t seed) {
    std::set<std::pair<int, int>> pairs;
    for (const auto i : select(table, gamma, {0, 2}, seed))
      pairs.insert({table.row(i)[0], table.row(i)[1]});
    return pairs;
  };
  CHECK(scales(1, 7) == scales(2, 7));
  CHECK(scales(1, 7) != scales(1, 8));
}

TEST_CASE("selection by the text: errors") {
  const auto table = datasets::every_combination({3, 6, 8});
  CHECK_THROWS_WITH_AS(select(table, 3, {0, 2}), "gamma is 3, expected 0 to 2",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(select(table, -1, {0, 2}), "gamma is -1, expected 0 to 2",
                       std::invalid_argument);
}
