// SPDX-License-Identifier: Apache-2.0
#include "results/analysis/snapshots.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "results/analysis/seed_agreement.h"
#include "tests/support/throws.h"

using namespace conoscope::results;
using conoscope::numerics::Matrix;
using conoscope::numerics::Vector;

namespace {

Vector values(std::initializer_list<double> list) {
  Vector out(static_cast<Eigen::Index>(list.size()));
  std::copy(list.begin(), list.end(), out.begin());
  return out;
}

}  // namespace

TEST_CASE("signal to noise of snapshots by hand") {
  // A parabola cannot follow (1, -3, 3, -1) at equal steps: it is orthogonal to 1, t and t^2.
  const Vector times = values({10, 20, 30, 40});
  Matrix scores(2, 4);
  scores.row(0) = values({1, -3, 3, -1}).transpose();
  scores.row(1) = values({6, 2, 8, 4}).transpose();  // the same, 5 higher
  const SignalToNoise found = snapshot_signal_to_noise(scores, times);
  CHECK(found.signal == doctest::Approx(5 / std::sqrt(2)));
  CHECK(found.noise == doctest::Approx(std::sqrt(20)));  // one degree of freedom each
  CHECK(found.ratio == doctest::Approx(5 / std::sqrt(40)));
  // What a parabola follows is no noise; and steps in the millions do not matter.
  Matrix bent = scores;
  for (Eigen::Index t = 0; t < 4; ++t) bent.col(t).array() += times(t) * times(t) / 1000 - times(t);
  CHECK(snapshot_signal_to_noise(bent, (times.array() + 1e6).matrix()).noise ==
        doctest::Approx(std::sqrt(20)));
}

TEST_CASE("slope and decisions by hand") {
  CHECK(training_slope(values({0, 100, 200}), values({1, 4, 4})) == doctest::Approx(0.015));
  // 1 < 2 < 3 against 1, 3, 2: two of three pairs; a tie agrees with a tie alone.
  CHECK(decision_accuracy(values({1, 2, 3}), values({1, 3, 2})) == doctest::Approx(2.0 / 3));
  CHECK(decision_accuracy(values({1, 1}), values({1, 2})) == 0.0);
  CHECK(decision_accuracy(values({1, 1}), values({2, 2})) == 1.0);
}

TEST_CASE("seeds that agree, by hand") {
  Matrix scores(3, 2);
  scores << 3, 2,  //
      2, 3,        //
      1, 1;
  SeedAgreement found = seed_agreement(scores);
  CHECK(found.winners == 2);
  CHECK(*found.rho == doctest::Approx(0.5));
  found = seed_agreement(scores.topRows(2));
  CHECK(found.winners == 2);
  CHECK_FALSE(found.rho);
  CHECK_FALSE(seed_agreement(scores.leftCols(1)).rho);
  scores.col(0).setOnes();  // of equals the first
  CHECK(seed_agreement(scores).winners == 2);
  CHECK_FALSE(seed_agreement(scores).rho);
}

TEST_CASE("snapshots: what is refused") {
  const Vector four = values({1, 2, 3, 4});
  CHECK_THROWS_SAYING(snapshot_signal_to_noise(Matrix::Ones(1, 4), four), std::invalid_argument,
                      "variants");
  CHECK_THROWS_SAYING(snapshot_signal_to_noise(Matrix::Ones(2, 3), four), std::invalid_argument,
                      "3 snapshots");
  CHECK_THROWS_SAYING(snapshot_signal_to_noise(Matrix::Ones(2, 4), values({1, 1, 2, 2})),
                      std::invalid_argument, "three different values");
  CHECK_THROWS_SAYING(snapshot_signal_to_noise(Matrix::Zero(2, 4), four), std::domain_error,
                      "no noise");
  CHECK_THROWS_SAYING(training_slope(values({1, 1}), values({1, 2})), std::domain_error,
                      "all times are equal");
  CHECK_THROWS_SAYING(decision_accuracy(values({1}), values({1})), std::invalid_argument, "1");
  CHECK_THROWS_SAYING(seed_agreement(Matrix(0, 2)), std::invalid_argument, "scores");
}
