#include "numerics/statistics/distributions.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "results/analysis/student_t.h"
#include "tests/support/throws.h"

using namespace conoscope::numerics;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
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
}

// The results, which may not know the metrics, have an implementation of their own for the boards.
TEST_CASE("the boards' quantile is this one") {
  for (int dof = 1; dof <= 60; ++dof)
    for (const double level : {0.5, 0.9, 0.95, 0.99})
      CHECK(conoscope::results::two_sided_t(level, dof) ==
            doctest::Approx(student_two_sided_quantile(level, dof)).epsilon(1e-11));
}

TEST_CASE("distributions: what is refused") {
  CHECK_THROWS_SAYING(student_two_sided_p(kNan, 2), std::invalid_argument, "t is NaN");
  CHECK_THROWS_SAYING(student_two_sided_p(1, 0), std::invalid_argument, "dof is 0.0");
  CHECK_THROWS_SAYING(student_two_sided_p(1, kNan), std::invalid_argument, "dof is");
  CHECK_THROWS_SAYING(student_two_sided_quantile(1.0, 2), std::invalid_argument, "level is 1.0");
  CHECK_THROWS_SAYING(student_two_sided_quantile(0.9, -1), std::invalid_argument, "dof is -1");
  CHECK_THROWS_SAYING(normal_upper_tail(kNan), std::invalid_argument, "z is NaN");
}
