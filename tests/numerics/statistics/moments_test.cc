// SPDX-License-Identifier: Apache-2.0
#include "numerics/statistics/moments.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "tests/support/throws.h"

using namespace conoscope::numerics;

TEST_CASE("moments by hand") {
  const std::vector<double> values = {1, 2, 6};  // mean 3, squares 4 + 1 + 9
  CHECK(mean(values) == 3.0);
  CHECK(squared_deviations(values) == 14.0);
  CHECK(sample_sd(values) == std::sqrt(7.0));
  CHECK(standard_error(values) == std::sqrt(7.0) / std::sqrt(3.0));
}

TEST_CASE("moments: equal values have exactly their mean and no spread") {
  const std::vector<double> same(7, 0.1);
  CHECK(mean(same) == 0.1);
  CHECK(squared_deviations(same) == 0.0);
  CHECK(sample_sd(same) == 0.0);
}

TEST_CASE("moments: the spread is right far from zero") {
  CHECK(sample_sd(std::vector<double>{1e8 + 1, 1e8 + 2, 1e8 + 3}) == 1.0);
}

TEST_CASE("moments: too few values") {
  CHECK_THROWS_SAYING(mean({}), std::invalid_argument, "no values");
  CHECK_THROWS_SAYING(sample_sd(std::vector<double>{1}), std::invalid_argument, "fewer than two");
  CHECK_THROWS_AS(standard_error(std::vector<double>{1}), std::invalid_argument);
}
