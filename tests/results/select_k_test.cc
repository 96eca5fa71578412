// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/select_k.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "tests/support/throws.h"

using namespace conoscope::results;

namespace {

/// Scores of the seeds 0, 1, ...; NaN: no number.
ScoresAtK at(std::int64_t k, const std::vector<double>& values) {
  ScoresAtK out;
  out.k = k;
  out.asked = static_cast<std::int64_t>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isnan(values[i])) out.by_seed[static_cast<std::int64_t>(i)] = values[i];
  return out;
}

struct Answer {
  std::int64_t chosen = 0, best = 0;
  SelectionRule rule = SelectionRule::kRange;
  bool operator==(const Answer&) const = default;
};

Answer ask(const std::vector<ScoresAtK>& sweep, bool higher = true) {
  const auto found = select_k(sweep, higher);
  REQUIRE(found.has_value());
  return {sweep[found->chosen].k, sweep[found->best].k, found->rule};
}

constexpr auto kStandardError = SelectionRule::kStandardError;
constexpr auto kRange = SelectionRule::kRange;

}  // namespace

TEST_CASE("select_k: the smallest K within one standard error, hand-worked") {
  // Differences to K = 3: at 2 they are 0, 0.25, 0.5 (mean 0.25, sd 0.25, error 0.144): not as
  // good.
  CHECK(ask({at(1, {0, 0, 0}), at(2, {1, 0.75, 0.5}), at(3, {1, 1, 1})}) ==
        Answer{3, 3, kStandardError});
  // -0.25, 0.25, 0.5: mean 1/6, squares of (-5, 1, 4) / 12 are 42 / 144, sd 0.382, error 0.220.
  CHECK(ask({at(1, {0, 0, 0}), at(2, {1.25, 0.75, 0.5}), at(3, {1, 1, 1})}) ==
        Answer{2, 3, kStandardError});
}

TEST_CASE("select_k: differences are taken seed by seed") {
  // Between the seeds lies much, but each seed gains the same 1/8: K = 2 is really better. The best
  // one's own error, 1.15, would have chosen 1.
  const std::vector<ScoresAtK> sweep = {at(1, {0, 2, 4}), at(2, {0.125, 2.125, 4.125})};
  CHECK(ask(sweep) == Answer{2, 2, kStandardError});
  // The same numbers, other partners: differences 2.125, 0.125, -1.875 have a mean of 1/8 and an
  // error of 1.15.
  const std::vector<ScoresAtK> shuffled = {at(1, {0, 2, 4}), at(2, {2.125, 2.125, 2.125})};
  CHECK(ask(shuffled) == Answer{1, 2, kStandardError});
}

TEST_CASE("select_k: without two seeds in common the best one's own error counts") {
  ScoresAtK few = at(1, {0.5, 0.5});
  few.by_seed = {{7, 0.5}, {8, 0.5}};
  // Best: 0.25 and 1.25, mean 0.75, error 0.5; 0.25 away.
  CHECK(ask({few, at(2, {0.25, 1.25})}) == Answer{1, 2, kStandardError});
  // Best: 0.75 and 1, mean 0.875, error 0.125; 0.375 away.
  CHECK(ask({few, at(2, {0.75, 1})}) == Answer{2, 2, kStandardError});
}

TEST_CASE("select_k: in the direction of the metric") {
  const std::vector<ScoresAtK> falling = {at(1, {4, 4.5}), at(2, {1, 1.25}), at(3, {1.25, 1.125}),
                                          at(4, {3, 3.25})};
  // Lower: 2 has 1.125, the best mean.
  CHECK(ask(falling, false) == Answer{2, 2, kStandardError});
  CHECK(ask(falling, true) == Answer{1, 1, kStandardError});
  // Mirrored scores and direction: the same answers.
  std::vector<ScoresAtK> mirrored = falling;
  for (auto& point : mirrored)
    for (auto& [seed, value] : point.by_seed) value = -value;
  CHECK(ask(mirrored, true) == ask(falling, false));
}

TEST_CASE("select_k: of equal means the smallest K is the best") {
  CHECK(ask({at(1, {0, 0.5}), at(3, {1, 2}), at(5, {2, 1}), at(9, {1, 2})}) ==
        Answer{3, 3, kStandardError});
}

TEST_CASE("select_k: what rounding leaves of an exact explanation is no improvement") {
  CHECK(ask({at(1, {1, 1.5}), at(2, {7e-16, 8e-16}), at(3, {6e-16, 7e-16}), at(4, {6e-16, 6e-16})},
            false) == Answer{2, 2, kStandardError});
  // Small, but beyond rounding: 1e-8 of a range of 1.
  CHECK(ask({at(1, {1, 1}), at(2, {1e-8, 1.1e-8}), at(3, {0, 0})}, false) ==
        Answer{3, 3, kStandardError});
}

TEST_CASE("select_k: with one seed, 1 % of the range decides") {
  // Range 10: 9.95 is within 0.1 of the best, 9.85 is not.
  CHECK(ask({at(1, {0}), at(2, {9.85}), at(3, {9.95}), at(4, {10})}) == Answer{3, 4, kRange});
  CHECK(ask({at(1, {0}), at(2, {9.95}), at(3, {9.85}), at(4, {10})}) == Answer{2, 4, kRange});
  CHECK(ask({at(1, {10}), at(2, {0.05}), at(3, {0})}, false) == Answer{2, 3, kRange});
  CHECK(ask({at(7, {0.5}), at(9, {0.5})}) == Answer{7, 7, kRange});
}

TEST_CASE("select_k: a method without randomness has no spread, whatever the seeds") {
  CHECK(ask({at(1, {0, 0, 0}), at(2, {9.95, 9.95, 9.95}), at(3, {10, 10, 10})}) ==
        Answer{2, 3, kRange});
  // A spread anywhere: then none of its own is a standard error of 0.
  CHECK(ask({at(1, {0, 1, 0}), at(2, {9.95, 9.95, 9.95}), at(3, {10, 10, 10})}) ==
        Answer{3, 3, kStandardError});
}

TEST_CASE("select_k: an incomplete K is neither chosen nor best") {
  CHECK(ask({at(1, {1, NAN}), at(2, {0.5, 0.5}), at(3, {0.75, 1}), at(4, {NAN, NAN})}) ==
        Answer{3, 3, kStandardError});
  CHECK_FALSE(select_k(std::vector{at(1, {1, NAN}), at(2, {NAN, NAN})}, true).has_value());
  CHECK_FALSE(select_k({}, true).has_value());
}

TEST_CASE("select_k: does not depend on unit and zero of the score") {
  std::vector<ScoresAtK> sweep = {at(1, {0.25, 0.75}), at(2, {0.5, 1}), at(3, {1.25, 0.5})};
  const Answer before = ask(sweep);
  CHECK(before.chosen < before.best);
  for (auto& point : sweep)
    for (auto& [seed, value] : point.by_seed) value = 8 * value - 64;
  CHECK(ask(sweep) == before);
}

TEST_CASE("select_k: contradictions are refused") {
  CHECK_THROWS_SAYING(select_k(std::vector{at(2, {1}), at(2, {1})}, true), std::invalid_argument,
                      "not ascending at 2");
  ScoresAtK more = at(1, {1, 2});
  more.asked = 1;
  CHECK_THROWS_SAYING(select_k(std::vector{more}, true), std::invalid_argument,
                      "more scores than asked at k = 1");
}
