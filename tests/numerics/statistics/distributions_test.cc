// SPDX-License-Identifier: Apache-2.0
#include "numerics/statistics/distributions.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "tests/numerics/statistics/values.h"
#include "tests/support/throws.h"

using namespace conoscope::numerics;
using namespace conoscope::testing;

namespace {
// Twelve digits; the closed forms below agree with tan and sqrt to a few units in the last place.
constexpr double kRelative = 1e-11;
}  // namespace

TEST_CASE("Student's tails where they have a closed form") {
  for (const double t : {0.0, 0.3, 1.0, 4.0, 50.0}) {
    CHECK(student_two_sided_p(t, 1) == doctest::Approx(1 - 2 / std::numbers::pi * std::atan(t)));
    CHECK(student_two_sided_p(t, 2) == doctest::Approx(1 - t / std::sqrt(2 + t * t)));
    CHECK(student_two_sided_p(-t, 2) == student_two_sided_p(t, 2));
  }
  CHECK(student_two_sided_p(1.959963984540054, kInfinity) == doctest::Approx(0.05).epsilon(1e-12));
  CHECK(student_two_sided_p(kInfinity, 3) == 0.0);
  CHECK(normal_upper_tail(0) == 0.5);
  CHECK(normal_upper_tail(1.959963984540054) == doctest::Approx(0.025).epsilon(1e-12));
}

TEST_CASE("the quantile undoes the tail") {
  for (const double dof : {1.0, 2.5, 4.0, 100.0, kInfinity})
    for (const double level : {0.5, 0.95, 0.999})
      CHECK(student_two_sided_p(student_two_sided_quantile(level, dof), dof) ==
            doctest::Approx(1 - level).epsilon(1e-10));
  CHECK(normal_quantile(0.5) == 0.0);
  for (const double level : {1e-9, 0.025, 0.9, 0.9995})
    CHECK(1 - normal_upper_tail(normal_quantile(level)) == doctest::Approx(level).epsilon(1e-10));
}

TEST_CASE("Student's quantile: closed forms for 1, 2 and 4 degrees of freedom") {
  for (const double level : {0.5, 0.9, 0.95, 0.99, 0.9999}) {
    CAPTURE(level);
    // nu = 1 is Cauchy; nu = 2: t = p sqrt(2 / (1 - p^2)) from A = t / sqrt(2 + t^2).
    CHECK(student_two_sided_quantile(level, 1) ==
          doctest::Approx(std::tan(std::numbers::pi * level / 2)).epsilon(kRelative));
    CHECK(student_two_sided_quantile(level, 2) ==
          doctest::Approx(level * std::sqrt(2 / (1 - level * level))).epsilon(kRelative));
    // nu = 4 (Shaw 2006): with alpha = 1 - p^2 and q = cos(acos(sqrt(alpha)) / 3) / sqrt(alpha),
    // t = 2 sqrt(q - 1).
    const double alpha = 1 - level * level;
    const double q = std::cos(std::acos(std::sqrt(alpha)) / 3) / std::sqrt(alpha);
    CHECK(student_two_sided_quantile(level, 4) ==
          doctest::Approx(2 * std::sqrt(q - 1)).epsilon(1e-9));
  }
}

TEST_CASE("Student's quantile: the printed table") {
  // t_{0.975} as in every statistics book; the long ones by quadrature of the density with 30
  // digits.
  CHECK(student_two_sided_quantile(0.95, 1) ==
        doctest::Approx(12.7062047361747).epsilon(kRelative));
  CHECK(student_two_sided_quantile(0.95, 2) ==
        doctest::Approx(4.30265272974946).epsilon(kRelative));
  CHECK(student_two_sided_quantile(0.95, 3) ==
        doctest::Approx(3.18244630528371).epsilon(kRelative));
  CHECK(student_two_sided_quantile(0.95, 5) == doctest::Approx(2.571).epsilon(0.0005 / 2.571));
  CHECK(student_two_sided_quantile(0.95, 9) == doctest::Approx(2.262).epsilon(0.0005 / 2.262));
  CHECK(student_two_sided_quantile(0.95, 10) ==
        doctest::Approx(2.22813885198627).epsilon(kRelative));
  CHECK(student_two_sided_quantile(0.95, 30) ==
        doctest::Approx(2.04227245630124).epsilon(kRelative));
  CHECK(student_two_sided_quantile(0.95, 100) ==
        doctest::Approx(1.98397151852355).epsilon(kRelative));
  CHECK(student_two_sided_quantile(0.99, 10) == doctest::Approx(3.169).epsilon(0.0005 / 3.169));
}

TEST_CASE("Student's quantile: falls with the degrees of freedom, towards the normal quantile") {
  double before = student_two_sided_quantile(0.95, 1);
  for (int nu = 2; nu < 400; ++nu) {
    const double t = student_two_sided_quantile(0.95, nu);
    REQUIRE(t < before);
    before = t;
  }
  // The first term of the expansion in 1 / nu: z + (z^3 + z) / (4 nu).
  const double z = 1.959963984540054;
  CHECK(student_two_sided_quantile(0.95, 1'000'000) ==
        doctest::Approx(z + (z * z * z + z) / 4e6).epsilon(1e-10));
}

TEST_CASE("one-sided quantiles") {
  for (const double dof : {1.0, 4.0, kInfinity}) {
    CHECK(student_quantile(0.975, dof) ==
          doctest::Approx(student_two_sided_quantile(0.95, dof)).epsilon(kRelative));
    CHECK(student_quantile(0.2, dof) == doctest::Approx(-student_quantile(0.8, dof)));
  }
  // Cauchy's, and for two degrees of freedom chi-squared is exponential: x = -2 log(1 - p).
  CHECK(student_quantile(0.8, 1) ==
        doctest::Approx(std::tan(std::numbers::pi * 0.3)).epsilon(kRelative));
  for (const double p : {0.05, 0.5, 0.95})
    CHECK(chi_squared_quantile(p, 2) == doctest::Approx(-2 * std::log(1 - p)).epsilon(kRelative));
  // The printed table.
  CHECK(chi_squared_quantile(0.05, 10) == doctest::Approx(3.940).epsilon(0.0005 / 3.940));
  CHECK(chi_squared_quantile(0.05, 30) == doctest::Approx(18.493).epsilon(0.0005 / 18.493));
}

TEST_CASE("distributions: what is refused") {
  CHECK_THROWS_SAYING(student_quantile(0, 2), std::invalid_argument, "p is 0");
  CHECK_THROWS_SAYING(student_quantile(0.5, 0), std::invalid_argument, "dof is 0");
  CHECK_THROWS_SAYING(chi_squared_quantile(1, 2), std::invalid_argument, "p is 1");
  CHECK_THROWS_SAYING(chi_squared_quantile(0.5, kInfinity), std::invalid_argument, "infinite");
  CHECK_THROWS_SAYING(student_two_sided_p(kNan, 2), std::invalid_argument, "t is NaN");
  CHECK_THROWS_SAYING(student_two_sided_p(1, 0), std::invalid_argument, "dof is 0.0");
  CHECK_THROWS_SAYING(student_two_sided_p(1, kNan), std::invalid_argument, "dof is");
  CHECK_THROWS_SAYING(student_two_sided_quantile(1.0, 2), std::invalid_argument, "level is 1.0");
  CHECK_THROWS_SAYING(student_two_sided_quantile(0.9, -1), std::invalid_argument, "dof is -1");
  CHECK_THROWS_SAYING(normal_upper_tail(kNan), std::invalid_argument, "z is NaN");
  for (const double level : {0.0, 1.0, kNan})
    CHECK_THROWS_SAYING(normal_quantile(level), std::invalid_argument, "normal_quantile: level is");
}
