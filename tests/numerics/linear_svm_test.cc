// SPDX-License-Identifier: Apache-2.0
#include "numerics/linear_svm.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/random.h"
#include "tests/support/throws.h"

using namespace conoscope::numerics;

namespace {
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
}  // namespace

TEST_CASE("linear_svm: the stationary point by hand") {
  // x = -1, 1, C = 0.5, balanced weights 1: w minimises w^2 / 2 + (1 - w)^2, so w = 2/3 and b = 0
  const Vector x = (Vector(2) << -1, 1).finished();
  const LinearSvm svm = linear_svm(x, {0, 1}, 2, 0.5);
  CHECK(svm.slope[0] == doctest::Approx(2.0 / 3.0).epsilon(1e-12));
  CHECK(svm.intercept[0] == doctest::Approx(0.0));
  CHECK(svm.predict(0.1) == 1);
  CHECK(svm.predict(0.0) == 0);
}

TEST_CASE("linear_svm: a gradient of zero where rounding hides the last decrease") {
  // Values of many samples round so coarsely that a line search rejects the step to the optimum.
  Random random(1);
  constexpr Index n = 32000;
  Vector x(n);
  IndexVector labels;
  for (Index i = 0; i < n; ++i) {
    labels.push_back(static_cast<Index>(random.below(4)));
    x[i] = static_cast<double>(labels.back()) + 0.5 * random.normal();
  }
  double worst = 0.0;
  for (int shift = 0; shift < 10; ++shift) {
    const Vector shifted = x.array() + 0.1 * shift;
    const LinearSvm svm = linear_svm(shifted, labels, 4, 1.0);
    Vector count = Vector::Zero(4);
    for (const Index label : labels) count[label] += 1.0;
    for (Index c = 0; c < 4; ++c) {
      const auto at = static_cast<std::size_t>(c);
      double gw = svm.slope[at], gb = svm.intercept[at];
      for (Index i = 0; i < n; ++i) {
        const bool own = labels[static_cast<std::size_t>(i)] == c;
        const double y = own ? 1.0 : -1.0, weight = own ? n / (4.0 * count[c]) : 1.0;
        const double slack = 1.0 - y * (svm.slope[at] * shifted[i] + svm.intercept[at]);
        if (slack <= 0.0) continue;
        gw -= 2.0 * weight * y * slack * shifted[i];
        gb -= 2.0 * weight * y * slack;
      }
      worst = std::max({worst, std::abs(gw), std::abs(gb)});
    }
  }
  CHECK(worst < 1e-8);  // sums of 32,000 terms; 3.5e-11 was seen, 3.6e-4 without the last step
}

TEST_CASE("linear_svm: several classes, ties to the lowest, and a gradient of zero") {
  Random random(2);
  Vector x(60);
  IndexVector labels;
  for (Index i = 0; i < 60; ++i) {
    labels.push_back(i % 3);
    x[i] = static_cast<double>(i % 3) + random.uniform();
  }
  const LinearSvm svm = linear_svm(x, labels, 3);
  REQUIRE(svm.slope.size() == 3);
  for (std::size_t c = 0; c < 3; ++c) {
    double gw = svm.slope[c], gb = svm.intercept[c];
    for (Index i = 0; i < 60; ++i) {
      const double y = labels[static_cast<std::size_t>(i)] == static_cast<Index>(c) ? 1.0 : -1.0;
      const double slack = 1.0 - y * (svm.slope[c] * x[i] + svm.intercept[c]);
      if (slack <= 0.0) continue;
      gw -= 2.0 * 0.01 * y * slack * x[i];  // balanced classes weigh 1
      gb -= 2.0 * 0.01 * y * slack;
    }
    CHECK(std::abs(gw) < 1e-10);
    CHECK(std::abs(gb) < 1e-10);
  }
  CHECK(LinearSvm{{0, 0, 0}, {1, 1, 1}}.predict(4.0) == 0);
  CHECK_THROWS_SAYING(linear_svm(x, {0, 1}, 2), std::invalid_argument, "2 labels for 60");
  CHECK_THROWS_SAYING(linear_svm(x, labels, 2), std::invalid_argument, "label 2");
  CHECK_THROWS_SAYING(linear_svm(x, labels, 4), std::invalid_argument, "no sample of class 3");
  CHECK_THROWS_SAYING(linear_svm(x, IndexVector(60, 0), 1), std::invalid_argument, "classes is 1");
  CHECK_THROWS_SAYING(linear_svm(x, labels, 3, 0.0), std::invalid_argument, "cost is 0");
  x[3] = kNaN;
  CHECK_THROWS_SAYING(linear_svm(x, labels, 3), std::invalid_argument, "x is nan at entry 3");
}
