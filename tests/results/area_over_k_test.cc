// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/area_over_k.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "tests/support/throws.h"

using conoscope::results::area_over_k;

namespace {

double area(const std::vector<double>& k, const std::vector<double>& score) {
  return area_over_k(k, score);
}

}  // namespace

TEST_CASE("area_over_k: trapezoids, divided by the range of K") {
  // (1/2 (0 + 1/2) + 1/2 (1/2 + 1)) / 2 = (1/4 + 3/4) / 2
  CHECK(area({1, 2, 3}, {0, 0.5, 1}) == 0.5);
  // One step of 1 at 1/2 (0 + 1), one of 3 at 1: (0.5 + 3) / 4
  CHECK(area({1, 2, 5}, {0, 1, 1}) == 0.875);
  // The same gain, later: 3 steps at 1/2, one at 1
  CHECK(area({1, 4, 5}, {0, 1, 1}) == 0.625);
  CHECK(area({1, 2}, {-1, 3}) == 1.0);
}

TEST_CASE("area_over_k: a flat curve has its own height, and a gap is bridged") {
  CHECK(area({3, 4, 9}, {0.75, 0.75, 0.75}) == doctest::Approx(0.75).epsilon(1e-15));
  CHECK(area({1, 3}, {0, 1}) == area({1, 2, 3}, {0, 0.5, 1}));
}

TEST_CASE("area_over_k: does not depend on where K begins or on its unit") {
  const double one = area({1, 2, 4}, {0.25, 0.5, 1});
  CHECK(area({11, 12, 14}, {0.25, 0.5, 1}) == doctest::Approx(one).epsilon(1e-15));
  CHECK(area({10, 20, 40}, {0.25, 0.5, 1}) == doctest::Approx(one).epsilon(1e-15));
  CHECK(area({1, 2, 4}, {2.5, 5, 10}) == doctest::Approx(10 * one).epsilon(1e-15));
}

TEST_CASE("area_over_k: the sum of two huge scores does not overflow") {
  CHECK(area({1, 2}, {1.5e308, 1.5e308}) == 1.5e308);
}

TEST_CASE("area_over_k: what has no area") {
  CHECK_THROWS_SAYING(area({1}, {1}), std::invalid_argument, "at least 2");
  CHECK_THROWS_SAYING(area({1, 1}, {1, 2}), std::invalid_argument, "not ascending at entry 1");
  CHECK_THROWS_SAYING(area({2, 1}, {1, 2}), std::invalid_argument, "not ascending");
  CHECK_THROWS_SAYING(area({1, NAN}, {1, 2}), std::invalid_argument, "not ascending");
  CHECK_THROWS_SAYING(area({1, 2}, {1}), std::invalid_argument, "1 scores for 2");
  CHECK_THROWS_SAYING(area({1, 2}, {1, NAN}), std::invalid_argument, "score 1 is not finite");
}
