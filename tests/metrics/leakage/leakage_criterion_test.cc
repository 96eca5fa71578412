// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/leakage_criterion.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "tests/support/throws.h"

using namespace conoscope::metrics;

TEST_CASE("the four verdicts") {
  const Eigen::Vector3d low(0.10, 0.11, 0.12), high(0.30, 0.31, 0.33), near(0.101, 0.11, 0.12);
  using enum LeakageVerdict;
  CHECK(leakage_criterion(high, high, low, low).verdict == kMoreInA);
  CHECK(leakage_criterion(high, low, low, near).verdict == kMoreInA);
  CHECK(leakage_criterion(low, low, near, high).verdict == kMoreInB);
  CHECK(leakage_criterion(low, high, high, low).verdict == kNotApplicable);
  CHECK(leakage_criterion(low, near, near, low).verdict == kCompatible);
  const auto result = leakage_criterion(high, low, low, near);
  CHECK(result.ctl.difference > 0.19);
  CHECK(result.ctl.p < 0.05);
  CHECK(result.icl.p > 0.05);
  CHECK(leakage_criterion(high, low, low, near, 1e-9).verdict == kCompatible);
}

TEST_CASE("no spread: equal means are compatible, others are not") {
  const Vector a = Vector::Constant(3, 0.1), b = Vector::Constant(3, 0.2);
  CHECK(leakage_criterion(a, a, a, a).verdict == LeakageVerdict::kCompatible);
  CHECK(leakage_criterion(b, a, a, a).verdict == LeakageVerdict::kMoreInA);
}

TEST_CASE("leakage_criterion: what is refused") {
  const Vector a = Vector::Constant(3, 0.1);
  const auto says = [&](const Vector& one, const Vector& two, const Vector& three,
                        const Vector& four, const char* what) {
    CHECK_THROWS_SAYING(leakage_criterion(one, two, three, four), std::invalid_argument, what);
  };
  says(a.head(1), a, a, a, "a_ctl has 1 value;");
  says(a, a.head(1), a, a, "a_icl has 1 value;");
  says(a, a, a.head(1), a, "b_ctl has 1 value;");
  says(a, a, a, a.head(0), "b_icl has 0 values");
  Vector broken = a;
  broken(0) = std::numeric_limits<double>::quiet_NaN();
  says(a, a, a, broken, "b_icl is nan");
  CHECK_THROWS_SAYING(leakage_criterion(a, a, a, a, 0), std::invalid_argument, "alpha is 0.0");
}
