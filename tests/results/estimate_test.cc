// SPDX-License-Identifier: Apache-2.0
#include "results/boards/estimate.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "numerics/statistics/distributions.h"
#include "tests/support/throws.h"

using namespace conoscope::results;

TEST_CASE("estimate: mean and t interval, hand-worked") {
  // 1, 2, 6: mean 3, squares 4 + 1 + 9 = 14, sd sqrt(7), half-width t_2 sqrt(7 / 3)
  const Estimate found = estimate_of(std::vector<double>{1, 2, 6}, 4);
  CHECK(found.mean == 3.0);
  CHECK(
      *found.half_width ==
      doctest::Approx(conoscope::numerics::student_two_sided_quantile(0.95, 2) * std::sqrt(7.0 / 3))
          .epsilon(1e-14));
  CHECK(found.n == 3);
  CHECK(found.asked == 4);
}

TEST_CASE("estimate: one value has no interval, equal ones have none of any width") {
  CHECK_FALSE(estimate_of(std::vector<double>{0.1}, 1).half_width.has_value());
  const Estimate same = estimate_of(std::vector<double>(7, 0.1), 7);
  CHECK(same.mean == 0.1);
  CHECK(*same.half_width == 0.0);
}

TEST_CASE("estimate: too few values") {
  CHECK_THROWS_SAYING(estimate_of({}, 1), std::invalid_argument, "no values");
  // Nadeau and Bengio: 1/n + R in place of 1/n, so with n = 3 and R = 2/3 sqrt(3) times as wide.
  CHECK(t_half_width(3, 2.0, 2.0 / 3.0) ==
        doctest::Approx(std::sqrt(3.0) * t_half_width(3, 2.0)).epsilon(1e-14));
  CHECK_THROWS_AS(t_half_width(1, 1.0), std::invalid_argument);
}
