// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <stdexcept>

#include "numerics/random.h"
#include "numerics/statistics/paired_bootstrap.h"
#include "numerics/statistics/t_test.h"
#include "numerics/statistics/wilcoxon_signed_rank.h"
#include "tests/numerics/statistics/values.h"
#include "tests/support/throws.h"

using namespace conoscope::numerics;
using namespace conoscope::testing;

TEST_CASE("wilcoxon_signed_rank by hand") {
  const auto against_zero = [](std::initializer_list<double> list) {
    const Vector a = values(list);
    return wilcoxon_signed_rank(a, Vector::Zero(a.size()));
  };
  const auto five = against_zero({1, 2, 3, 4, 5});
  CHECK(five.w == 15.0);
  CHECK(five.p == 2.0 / 32);
  CHECK(against_zero({-1, -2, -3, -4, -5}).p == 2.0 / 32);
  CHECK(against_zero({1, 2, 3, 4, 5, 6}).p == 2.0 / 64);
  // W = 14 - only the rank 1 is negative: P(W >= 14) = 2/32
  CHECK(against_zero({-1, 2, 3, 4, 5}).p == 4.0 / 32);
  // ranks 2, 2, 2: sums 0, 2, 4, 6 with 1, 3, 3, 1 of 8 patterns
  const auto tied = against_zero({1, 1, -1});
  CHECK(tied.w == 4.0);
  CHECK(tied.p == 1.0);
  // ranks 1.5, 1.5, 3
  CHECK(against_zero({1, 1, 2}).p == 0.25);
  const auto zeros = against_zero({0, 0, 7});
  CHECK(zeros.used == 1);
  CHECK(zeros.p == 1.0);
  CHECK(against_zero({0, 0}).p == 1.0);
  CHECK(against_zero({0, 0}).used == 0);
}

TEST_CASE("wilcoxon_signed_rank: the approximation takes over smoothly") {
  Random random(3);
  Vector a(50), b = Vector::Zero(51);
  for (double& x : a) x = random.uniform(-1.0, 1.5);
  const auto exact = wilcoxon_signed_rank(a, b.head(50));
  REQUIRE(exact.exact);
  Vector longer(51);
  longer << a, 1e-9;  // the smallest rank adds next to nothing
  const auto approximate = wilcoxon_signed_rank(longer, b);
  REQUIRE_FALSE(approximate.exact);
  CHECK(approximate.p == doctest::Approx(exact.p).epsilon(0.05));
  // Monotone changes of the sizes leave it alone.
  const Vector cubed = a.array().cube();
  CHECK(wilcoxon_signed_rank(cubed, b.head(50)).p == exact.p);
}

TEST_CASE("paired_bootstrap") {
  // Means of two draws from {-1, 3}: -1, 1, 1, 3; half of them lie as far from 1 as 1 from 0.
  const auto wide = paired_bootstrap(values({0, 5}), values({1, 2}));
  CHECK(wide.difference == 1.0);
  CHECK(wide.low == -1.0);
  CHECK(wide.high == 3.0);
  CHECK(wide.p == doctest::Approx(0.5).epsilon(0.05));
  const auto sure = paired_bootstrap(values({3, 4, 5}), values({1, 2, 3}));
  CHECK(sure.low == 2.0);
  CHECK(sure.high == 2.0);
  CHECK(sure.p == 1.0 / 10001);
  CHECK(paired_bootstrap(values({3, 4}), values({3, 4})).p == 1.0);

  Random random(5);
  Vector a(200), b(200);
  for (Index i = 0; i < 200; ++i) {
    a(i) = random.uniform();
    b(i) = random.uniform() + 0.05;
  }
  const auto large = paired_bootstrap(a, b);
  const TTest t = paired_t_test(a, b);
  CHECK(large.p == doctest::Approx(t.p).epsilon(0.2));
  CHECK(large.high - large.low == doctest::Approx(2 * t.half_width).epsilon(0.05));
  CHECK(paired_bootstrap(a, b).low == large.low);
  PairedBootstrapOptions other;
  other.seed = 1;
  CHECK(paired_bootstrap(a, b, other).low != large.low);
}

TEST_CASE("rank and resampling tests: what is refused") {
  CHECK_THROWS_SAYING(wilcoxon_signed_rank(values({1}), values({1, 2})), std::invalid_argument,
                      "wilcoxon_signed_rank", "a has 1 values and b 2");
  CHECK_THROWS_SAYING(wilcoxon_signed_rank(values({}), values({})), std::invalid_argument,
                      "a has 0 values");
  CHECK_THROWS_SAYING(wilcoxon_signed_rank(values({1}), values({kNan})), std::invalid_argument,
                      "b is nan");
  CHECK_THROWS_SAYING(paired_bootstrap(values({1}), values({1})), std::invalid_argument,
                      "paired_bootstrap", "a has 1 value;");
  CHECK_THROWS_SAYING(paired_bootstrap(values({1, kNan}), values({1, 2})), std::invalid_argument,
                      "a is nan");
  CHECK_THROWS_SAYING(paired_bootstrap(values({1, 2}), values({1, 2, 3})), std::invalid_argument,
                      "a has 2 values and b 3");
  CHECK_THROWS_SAYING(paired_bootstrap(values({1, 2}), values({1, 2}), {0, 0.95, 0}),
                      std::invalid_argument, "resamples is 0");
  CHECK_THROWS_SAYING(paired_bootstrap(values({1, 2}), values({1, 2}), {10, 1.0, 0}),
                      std::invalid_argument, "level is 1.0");
}
