// SPDX-License-Identifier: Apache-2.0
#include "numerics/statistics/correlation.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "numerics/statistics/multiple_tests.h"
#include "tests/numerics/statistics/values.h"
#include "tests/support/throws.h"

using namespace conoscope::numerics;
using namespace conoscope::testing;

TEST_CASE("pearson and spearman by hand") {
  const Vector x = values({1, 2, 3, 4}), y = values({1, 3, 2, 4});
  // r = 4/5; t^2 = 0.64 * 2 / 0.36, and with 2 dof p = 1 - t / sqrt(2 + t^2) = 1/5
  CHECK(pearson(x, y).r == doctest::Approx(0.8));
  CHECK(pearson(x, y).p == doctest::Approx(0.2));
  CHECK(spearman(x, y).r == doctest::Approx(0.8));
  CHECK(pearson(x, -y).r == doctest::Approx(-0.8));
  CHECK(pearson(x, (3 * y.array() + 1e6).matrix()).r == doctest::Approx(0.8));
  const Vector curve = y.array().exp();
  CHECK(spearman(x, curve).r == spearman(x, y).r);
  CHECK(spearman(x, curve).p == spearman(x, y).p);
  CHECK(pearson(x, x).r == 1.0);
  CHECK(pearson(x, x).p == 0.0);
  // ranks of y: 1.5, 1.5, 3, 4
  CHECK(spearman(x, values({1, 1, 2, 9})).r == doctest::Approx(4.5 / std::sqrt(5 * 4.5)));
}

TEST_CASE("spearman: how large rho must be to be significant") {
  // By hand: of the 24 orders of four, one has rho = 1 and one -1: 2/24 is more than 0.05, not than 0.1.
  CHECK_FALSE(spearman_critical_value(4));
  CHECK(*spearman_critical_value(4, 0.1) == 1.0);
  // Five: 2/120 have |rho| = 1; the next, 0.9, is reached by 8 more.
  CHECK(*spearman_critical_value(5) == 1.0);
  CHECK(*spearman_critical_value(5, 10.0 / 120 + 1e-9) == doctest::Approx(0.9));
  // The tables of textbooks (two-sided 0.05), counted up to 9 and a series beyond.
  const double table[] = {0.886, 0.786, 0.738, 0.700, 0.648, 0.618, 0.587, 0.560};
  for (Index n = 6; n <= 13; ++n) {
    CAPTURE(n);
    CHECK(std::abs(*spearman_critical_value(n) - table[n - 6]) < 0.0006);
  }
  // Far out it is that of a normal variable of variance 1 / (n - 1).
  CHECK(*spearman_critical_value(20000) ==
        doctest::Approx(1.959963984540054 / std::sqrt(19999.0)).epsilon(1e-4));
}

TEST_CASE("correlations: what is refused") {
  CHECK_THROWS_SAYING(spearman_critical_value(2), std::invalid_argument, "n = 2");
  CHECK_THROWS_SAYING(spearman_critical_value(5, 0), std::invalid_argument, "alpha is 0");
  const Vector x = values({1, 2, 3});
  for (const auto correlate : {pearson, spearman}) {
    CHECK_THROWS_SAYING(correlate(x, values({1, 2})), std::invalid_argument,
                        "x has 3 values and y 2");
    CHECK_THROWS_SAYING(correlate(values({1, 2}), values({1, 2})), std::invalid_argument,
                        "x has 2 values");
    CHECK_THROWS_SAYING(correlate(x, values({1, kNan, 2})), std::invalid_argument, "y is nan");
    CHECK_THROWS_SAYING(correlate(x, values({0.1, 0.1, 0.1})), std::domain_error,
                        "all values of y are equal");
    CHECK_THROWS_SAYING(correlate(values({2, 2, 2}), x), std::domain_error,
                        "all values of x are equal");
  }
}

TEST_CASE("holm and benjamini_hochberg by hand") {
  const Vector p = values({0.01, 0.04, 0.03});
  CHECK(holm(p).isApprox(values({0.03, 0.06, 0.06})));
  CHECK(benjamini_hochberg(p).isApprox(values({0.03, 0.04, 0.04})));
  CHECK(holm(values({0.9, 0.8})).isApprox(values({1.0, 1.0})));
  CHECK(benjamini_hochberg(values({0.9, 0.8})).isApprox(values({0.9, 0.9})));
  CHECK(holm(values({0.2})) == values({0.2}));
  CHECK(holm(values({})).size() == 0);
  CHECK(benjamini_hochberg(values({})).size() == 0);
  // Never below p, never out of order, and Holm's is the stricter one.
  const Vector many = values({0.001, 0.2, 0.011, 0.011, 0.6, 0.049, 0.0});
  CHECK((holm(many).array() >= benjamini_hochberg(many).array()).all());
  CHECK((benjamini_hochberg(many).array() >= many.array()).all());
}

TEST_CASE("corrections: what is refused") {
  CHECK_THROWS_SAYING(holm(values({0.1, 1.5})), std::invalid_argument, "holm", "p is 1.5",
                      "entry 1");
  CHECK_THROWS_SAYING(benjamini_hochberg(values({kNan})), std::invalid_argument,
                      "benjamini_hochberg", "p is");
}
