#include "results/analysis/student_t.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

using conoscope::results::two_sided_t;

// Twelve digits; the closed forms below agree with tan and sqrt to a few units in the last place.
constexpr double kRelative = 1e-11;

TEST_CASE("two_sided_t: closed forms for 1, 2 and 4 degrees of freedom") {
  for (const double level : {0.5, 0.9, 0.95, 0.99, 0.9999}) {
    CAPTURE(level);
    // nu = 1 is Cauchy; nu = 2: t = p sqrt(2 / (1 - p^2)) from A = t / sqrt(2 + t^2).
    CHECK(two_sided_t(level, 1) ==
          doctest::Approx(std::tan(std::numbers::pi * level / 2)).epsilon(kRelative));
    CHECK(two_sided_t(level, 2) ==
          doctest::Approx(level * std::sqrt(2 / (1 - level * level))).epsilon(kRelative));
    // nu = 4 (Shaw 2006): with alpha = 1 - p^2 and q = cos(acos(sqrt(alpha)) / 3) / sqrt(alpha),
    // t = 2 sqrt(q - 1).
    const double alpha = 1 - level * level;
    const double q = std::cos(std::acos(std::sqrt(alpha)) / 3) / std::sqrt(alpha);
    CHECK(two_sided_t(level, 4) == doctest::Approx(2 * std::sqrt(q - 1)).epsilon(1e-9));
  }
}

TEST_CASE("two_sided_t: the printed table") {
  // t_{0.975} as in every statistics book; the long ones by quadrature of the density with 30
  // digits.
  CHECK(two_sided_t(0.95, 1) == doctest::Approx(12.7062047361747).epsilon(kRelative));
  CHECK(two_sided_t(0.95, 2) == doctest::Approx(4.30265272974946).epsilon(kRelative));
  CHECK(two_sided_t(0.95, 3) == doctest::Approx(3.18244630528371).epsilon(kRelative));
  CHECK(two_sided_t(0.95, 5) == doctest::Approx(2.571).epsilon(0.0005 / 2.571));
  CHECK(two_sided_t(0.95, 9) == doctest::Approx(2.262).epsilon(0.0005 / 2.262));
  CHECK(two_sided_t(0.95, 10) == doctest::Approx(2.22813885198627).epsilon(kRelative));
  CHECK(two_sided_t(0.95, 30) == doctest::Approx(2.04227245630124).epsilon(kRelative));
  CHECK(two_sided_t(0.95, 100) == doctest::Approx(1.98397151852355).epsilon(kRelative));
  CHECK(two_sided_t(0.99, 10) == doctest::Approx(3.169).epsilon(0.0005 / 3.169));
}

TEST_CASE("two_sided_t: falls with the degrees of freedom, towards the normal quantile") {
  double before = two_sided_t(0.95, 1);
  for (int nu = 2; nu < 400; ++nu) {
    const double t = two_sided_t(0.95, nu);
    REQUIRE(t < before);
    before = t;
  }
  // The first term of the expansion in 1 / nu: z + (z^3 + z) / (4 nu).
  const double z = 1.959963984540054;
  CHECK(two_sided_t(0.95, 1'000'000) == doctest::Approx(z + (z * z * z + z) / 4e6).epsilon(1e-10));
}

TEST_CASE("two_sided_t: refuses what is no level and no degree of freedom") {
  CHECK_THROWS_AS(two_sided_t(0, 3), std::invalid_argument);
  CHECK_THROWS_AS(two_sided_t(1, 3), std::invalid_argument);
  CHECK_THROWS_AS(two_sided_t(std::nan(""), 3), std::invalid_argument);
  CHECK_THROWS_AS(two_sided_t(0.95, 0), std::invalid_argument);
}
