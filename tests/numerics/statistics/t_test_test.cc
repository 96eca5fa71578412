// SPDX-License-Identifier: Apache-2.0
#include "numerics/statistics/t_test.h"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <stdexcept>

#include "tests/numerics/statistics/values.h"
#include "tests/support/throws.h"

using namespace conoscope::numerics;
using namespace conoscope::testing;

TEST_CASE("paired_t_test by hand") {
  const TTest test = paired_t_test(values({2, 4, 6}), values({1, 2, 3}));
  CHECK(test.difference == 2.0);
  CHECK(test.dof == 2.0);
  CHECK(test.t == doctest::Approx(2 * std::sqrt(3.0)));
  CHECK(test.p == doctest::Approx(1 - std::sqrt(12.0 / 14.0)));
  const TTest turned = paired_t_test(values({1, 2, 3}), values({2, 4, 6}));
  CHECK(turned.difference == -2.0);
  CHECK(turned.p == test.p);
  CHECK(turned.half_width == test.half_width);
}

TEST_CASE("paired_t_test of splits of one sample: the corrected variance") {
  const Vector a = values({2, 4, 6}), b = values({1, 2, 3});  // differences 1, 2, 3: sd 1
  CHECK(paired_t_test(a, b, 0.95, 0.25).se == doctest::Approx(std::sqrt(1.0 / 3.0 + 0.25)));
  CHECK(paired_t_test(a, b, 0.95, 0.25).dof == 2.0);
  CHECK(paired_t_test(a, b, 0.95, 0.0).t == paired_t_test(a, b).t);
  CHECK_THROWS_SAYING(paired_t_test(a, b, 0.95, -0.1), std::invalid_argument, "resampled = -0.1");
}

TEST_CASE("paired_t_test from tables") {
  // 1 degree of freedom: p = 1 - 2/pi atan t; d = 1, 3: t = 2
  CHECK(paired_t_test(values({1, 3}), values({0, 0})).p ==
        doctest::Approx(1.0 - 2.0 / 3.14159265358979324 * std::atan(2.0)).epsilon(1e-12));
  // The 1 % point of 19 degrees of freedom is 2.860935: 20 pairs that give just this t.
  Vector d(20);
  for (Index i = 0; i < 20; ++i) d[i] = i < 10 ? 1.0 : -1.0;
  d.array() += 2.860934606449914 * std::sqrt(20.0 / 19.0) / std::sqrt(20.0);
  CHECK(paired_t_test(d, Vector::Zero(20)).p == doctest::Approx(0.01).epsilon(1e-6));
  CHECK(paired_t_test(Vector::Zero(20), d).p == doctest::Approx(0.01).epsilon(1e-6));
}

TEST_CASE("welch_t_test by hand") {
  const TTest test = welch_t_test(values({0, 2}), values({1, 3, 5}));
  CHECK(test.difference == -2.0);
  CHECK(test.t == doctest::Approx(-2 / std::sqrt(7.0 / 3.0)));
  CHECK(test.dof == doctest::Approx(49.0 / 17.0));
  const TTest scaled = welch_t_test(values({0, 2e-100}), values({1e-100, 3e-100, 5e-100}));
  CHECK(scaled.dof == doctest::Approx(test.dof));
  CHECK(scaled.p == doctest::Approx(test.p));
}

TEST_CASE("welch_t_test_of_moments is that of the values") {
  const Vector a = values({1, 2, 4, 8}), b = values({3, 9, 6});
  const TTest known = welch_t_test(a, b);
  const TTest moments =
      welch_t_test_of_moments({3.75, std::sqrt(9.583333333333334), 4}, {6.0, 3.0, 3});
  CHECK(moments.t == doctest::Approx(known.t));
  CHECK(moments.dof == doctest::Approx(known.dof));
  CHECK(moments.p == doctest::Approx(known.p));
  CHECK(moments.half_width == doctest::Approx(known.half_width));
  CHECK_THROWS_SAYING(welch_t_test_of_moments({0.0, 1.0, 1}, {0.0, 1.0, 2}), std::invalid_argument,
                      "a group of 1 with mean 0.000000 and sd 1.000000");
  CHECK_THROWS_SAYING(welch_t_test_of_moments({0.0, 1.0, 2}, {0.0, -1.0, 2}), std::invalid_argument,
                      "sd -1.000000");
  CHECK_THROWS_SAYING(welch_t_test_of_moments({std::nan(""), 1.0, 2}, {0.0, 1.0, 2}),
                      std::invalid_argument, "mean nan");
}

TEST_CASE("no spread at all") {
  using Test = std::function<TTest(const VectorRef&, const VectorRef&, double)>;
  const Test paired = [](const auto& a, const auto& b, double level) {
    return paired_t_test(a, b, level);
  };
  for (const Test& test : {Test(welch_t_test), paired}) {
    CHECK(test(values({1, 1}), values({1, 1}), 0.95).p == 1.0);
    CHECK(test(values({2, 2}), values({1, 1}), 0.95).p == 0.0);
    CHECK(test(values({2, 2}), values({1, 1}), 0.95).t == kInfinity);
    CHECK(test(values({1, 1}), values({2, 2}), 0.95).half_width == 0.0);
  }
  // Sums of 0.1 are rounded.
  CHECK(welch_t_test(values({0.1, 0.1, 0.1}), values({0.1, 0.1}), 0.95).p == 1.0);
}

TEST_CASE("t tests: what is refused") {
  CHECK_THROWS_SAYING(welch_t_test(values({1}), values({1, 2})), std::invalid_argument,
                      "welch_t_test", "a has 1 value;");
  CHECK_THROWS_SAYING(welch_t_test(values({1, 2}), values({})), std::invalid_argument,
                      "b has 0 values");
  CHECK_THROWS_SAYING(welch_t_test(values({1, 2}), values({1, kNan})), std::invalid_argument,
                      "b is nan at entry 1");
  CHECK_THROWS_SAYING(paired_t_test(values({1, 2}), values({1, 2, 3})), std::invalid_argument,
                      "a has 2 values and b 3");
  CHECK_THROWS_SAYING(paired_t_test(values({1}), values({2})), std::invalid_argument,
                      "a has 1 value;");
  CHECK_THROWS_SAYING(paired_t_test(values({1, kNan}), values({2, 2})), std::invalid_argument,
                      "a is nan");
}
