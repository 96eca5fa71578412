// SPDX-License-Identifier: Apache-2.0
#include "datasets/factorial/conditional_sets.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

namespace datasets = conoscope::datasets;
using conoscope::sdk::Seed;

namespace {

int allowed(const datasets::ConditionalSets& sets, int condition, bool low, int begin, int end) {
  int count = 0;
  for (int v = begin; v < end; ++v) count += sets.allows(condition, low, v);
  return count;
}

}  // namespace

TEST_CASE("conditional sets: as given") {
  const std::vector<std::int64_t> lower = {0, 2}, upper = {1, 3};
  const datasets::ConditionalSets sets(lower, upper, {2, 4, 3, 1, 1});
  CHECK(sets.allows(0, true, 0));
  CHECK(sets.allows(0, false, 1));
  CHECK(sets.allows(1, true, 2));
  CHECK(sets.allows(1, false, 3));
  CHECK_FALSE(sets.allows(1, true, 3));
  CHECK_THROWS_WITH_AS(datasets::ConditionalSets(lower, upper, {2, 4, 3, 1, 2}),
                       "conditional sets: 2 lower and 2 upper values, expected 4 of each",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(datasets::ConditionalSets(lower, upper, {2, 3, 3, 1, 1}),
                       "conditional sets: value 3, expected 0 to 2", std::invalid_argument);
}

TEST_CASE("conditional sets: so many values of each pool, for every condition; nested by steps") {
  const std::vector<datasets::ConditionalStep> steps = {{3, 6, 4, 2, 3}, {6, 40, 30, 10, 20}};
  const auto sets = datasets::draw_conditional_sets(steps, Seed(3));
  REQUIRE(sets.size() == 2);
  for (std::size_t i = 0; i < 2; ++i)
    for (int a = 0; a < steps[i].conditions; ++a) {
      CHECK(allowed(sets[i], a, true, 0, steps[i].lower_end) == steps[i].count);
      CHECK(allowed(sets[i], a, true, steps[i].lower_end, steps[i].values) == 0);
      CHECK(allowed(sets[i], a, false, steps[i].upper_begin, steps[i].values) == steps[i].count);
      CHECK(allowed(sets[i], a, false, 0, steps[i].upper_begin) == 0);
    }
  const auto first = datasets::draw_conditional_sets(std::span(steps).first(1), Seed(3));
  const auto other = datasets::draw_conditional_sets(steps, Seed(4));
  bool differs = false;
  for (int a = 0; a < 3; ++a)
    for (int v = 0; v < 6; ++v) {
      CHECK(first[0].allows(a, true, v) == sets[0].allows(a, true, v));
      differs = differs || other[0].allows(a, true, v) != sets[0].allows(a, true, v);
    }
  CHECK(differs);
}
