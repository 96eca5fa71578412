// SPDX-License-Identifier: Apache-2.0
#include "metrics/information/mi_discrete.h"

#include <doctest/doctest.h>

#include <cmath>

#include "numerics/digamma.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;
using namespace conoscope::numerics;

TEST_CASE("digamma_table: by hand, and far out against the asymptotic series") {
  const auto psi = digamma_table(200000);
  CHECK(psi[0] == doctest::Approx(-0.57721566490153286).epsilon(1e-15));
  CHECK(psi[3] == doctest::Approx(psi[0] + 1.0 + 0.5 + 1.0 / 3.0).epsilon(1e-15));
  const double n = 200000.0;
  CHECK(std::abs(psi.back() - (std::log(n) - 0.5 / n - 1.0 / (12.0 * n * n))) < 1e-14);
  CHECK_THROWS_SAYING(digamma_table(0), std::invalid_argument, "n is 0");
}

TEST_CASE("mi_discrete: by hand") {
  const IndexVector a{0, 0, 1, 1}, b{5, -7, 5, -7}, c{0, 0, 0, 1};
  CHECK(entropy_discrete(a) == doctest::Approx(std::log(2.0)));
  CHECK(mi_discrete(a, a) == doctest::Approx(std::log(2.0)));
  CHECK(mi_discrete(a, b) == 0.0);
  // p(0,0) = 1/2, p(1,0) = p(1,1) = 1/4; margins 1/2, 1/2 and 3/4, 1/4
  CHECK(mi_discrete(a, c) == doctest::Approx(0.5 * std::log(4.0 / 3.0) +
                                             0.25 * std::log(2.0 / 3.0) + 0.25 * std::log(2.0)));
  CHECK(mi_discrete(a, c) == doctest::Approx(mi_discrete(c, a)));
  CHECK(mi_discrete(IndexVector{3, 3, 3}, IndexVector{0, 1, 2}) == 0.0);
}

TEST_CASE("mi_discrete: labels far apart, and as many as samples") {
  IndexVector far, near;
  for (Index i = 0; i < 100; ++i) {
    far.push_back(i * 1000000007 - 50);
    near.push_back(i);
  }
  CHECK(mi_discrete(far, near) == doctest::Approx(std::log(100.0)));
  CHECK(entropy_discrete(far) == doctest::Approx(std::log(100.0)));
}

TEST_CASE("mi_discrete: what it refuses") {
  CHECK_THROWS_SAYING(mi_discrete(IndexVector{1}, IndexVector{1, 2}), std::invalid_argument,
                      "a has 1", "b 2");
  CHECK_THROWS_SAYING(mi_discrete(IndexVector{}, IndexVector{}), std::invalid_argument,
                      "a is empty");
  CHECK_THROWS_SAYING(entropy_discrete(IndexVector{}), std::invalid_argument, "a is empty");
}

}  // namespace

}  // namespace conoscope::tests
