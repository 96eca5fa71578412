// SPDX-License-Identifier: Apache-2.0
#include "numerics/statistics/detectable_effect.h"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include "tests/support/throws.h"

using namespace conoscope::numerics;

// Cohen's small, medium and large effect need 199, 34 and 15 pairs: Faul et al., Behavior Research
// Methods 2007, whose program prints the power of the second as 0.8077775.
TEST_CASE("the textbook's sample sizes") {
  CHECK(pairs_needed(0.2) == 199);
  CHECK(pairs_needed(0.5) == 34);
  CHECK(pairs_needed(-0.8) == 15);
  CHECK(paired_t_power(0.5, 34) == doctest::Approx(0.8077775).epsilon(1e-6));
}

TEST_CASE("power, effect and pairs belong together") {
  CHECK(paired_t_power(0, 5) == 0.05);
  CHECK(paired_t_power(1e-4, 5) == doctest::Approx(0.05).epsilon(1e-4));
  CHECK(paired_t_power(-0.7, 9) == paired_t_power(0.7, 9));
  for (const Index n : {2, 3, 5, 20, 500}) {
    const double effect = minimum_detectable_effect(n);
    CHECK(paired_t_power(effect, n) == doctest::Approx(0.8));
    CHECK(pairs_needed(effect * 1.0001).value() <= n);
    if (n > 2) CHECK(pairs_needed(effect * 0.97).value() > n - 1);
  }
  CHECK(paired_t_power(std::numeric_limits<double>::infinity(), 2) == 1.0);
  CHECK(paired_t_power(1e6, 2) == 1.0);
  CHECK(pairs_needed(1e6) == 2);
  CHECK_FALSE(pairs_needed(0).has_value());
  CHECK_FALSE(pairs_needed(1e-5).has_value());
  double before = 0;
  for (double effect = 0.05; effect < 40; effect *= 1.3) {
    const double power = paired_t_power(effect, 3);
    CHECK(power >= before - 1e-12);
    before = power;
  }
}

TEST_CASE("detectable effects: what is refused") {
  CHECK_THROWS_SAYING(paired_t_power(1, 1), std::invalid_argument, "n is 1");
  CHECK_THROWS_SAYING(paired_t_power(1, 2, 1), std::invalid_argument, "alpha is 1.0");
  CHECK_THROWS_SAYING(paired_t_power(std::numeric_limits<double>::quiet_NaN(), 2),
                      std::invalid_argument, "effect is NaN");
  CHECK_THROWS_SAYING(minimum_detectable_effect(0), std::invalid_argument, "n is 0");
  CHECK_THROWS_SAYING(minimum_detectable_effect(5, 0.05, 0.05), std::invalid_argument,
                      "power is 0.05");
  CHECK_THROWS_SAYING(pairs_needed(1, 0.05, 1), std::invalid_argument, "power is 1.0");
  CHECK_THROWS_SAYING(pairs_needed(1, -1), std::invalid_argument, "alpha is -1");
  CHECK_THROWS_SAYING(pairs_needed(std::numeric_limits<double>::quiet_NaN()), std::invalid_argument,
                      "effect is NaN");
}
