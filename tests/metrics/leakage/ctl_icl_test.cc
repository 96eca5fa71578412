// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/ctl_icl.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "metrics/information/mi_noise.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

// Three independent concepts, all combinations twice; the label is the first one.
struct World {
  Matrix truth = Matrix(16, 3);
  IndexVector labels;
  World() {
    for (Index i = 0; i < 16; ++i) {
      truth.row(i) << static_cast<double>(i & 1), static_cast<double>(i >> 1 & 1),
          static_cast<double>(i >> 2 & 1);
      labels.push_back(i & 1);
    }
  }
};

TEST_CASE("ctl, icl: by hand; perfect concepts leak nothing") {
  const World world;
  CHECK(ctl(world.truth, world.truth, world.labels).value == 0.0);
  CHECK(icl(world.truth, world.truth).value == 0.0);
  Matrix leaking = world.truth;  // the second concept tells the label, and the first one with it
  leaking.col(1) = world.truth.col(0);
  const Ctl task = ctl(leaking, world.truth, world.labels);
  CHECK(task.concepts[0] == 0.0);
  CHECK(task.concepts[1] == doctest::Approx(1.0));
  CHECK(task.value == doctest::Approx(1.0 / 3.0));
  const Icl between = icl(leaking, world.truth);
  CHECK(between.pairs[0] == doctest::Approx(1.0));  // (0, 1)
  CHECK(between.pairs[1] == 0.0);
  CHECK(between.concepts[0] == doctest::Approx(0.5));
  CHECK(between.concepts[2] == 0.0);
  CHECK(between.value == doctest::Approx(1.0 / 3.0));
}

TEST_CASE("icl_true_entropy: by hand; it does not grow with the number of samples") {
  const World world;
  Matrix leaking = world.truth;
  leaking.col(1) = world.truth.col(0);
  const Icl found = icl_true_entropy(icl(leaking, world.truth));
  CHECK(found.pairs[0] == doctest::Approx(1.0));  // ln 2 of sqrt(ln 2 ln 2)
  CHECK(found.pairs[1] == 0.0);
  CHECK(found.value == doctest::Approx(1.0 / 3.0));
  // Scores that correlate by 0.8, of independent concepts: ln(1 / 0.36) / 2 nats whatever n is.
  const auto correlated = [](Index n) {
    const Draws draw = normal_draws(1);
    Matrix scores(n, 2), truth(n, 2);
    for (Index i = 0; i < n; ++i) {
      scores(i, 0) = draw();
      scores(i, 1) = 0.8 * scores(i, 0) + 0.6 * draw();
      truth.row(i) << static_cast<double>(i % 2), static_cast<double>(i / 2 % 2);
    }
    return icl(scores, truth);
  };
  const Icl few = correlated(400), many = correlated(8000);
  CHECK(few.value > 1.4 * many.value);  // psi(8000) - psi(3) over psi(400) - psi(3) is 1.6
  for (const Icl& one : {few, many})
    CHECK(icl_true_entropy(one).value ==
          doctest::Approx(-0.5 * std::log(0.36) / std::log(2.0)).epsilon(0.15));
  Matrix constant = world.truth;
  constant.col(2).setOnes();
  CHECK_THROWS_SAYING(icl_true_entropy(icl(leaking, constant)), std::domain_error,
                      "true concept 2 is constant");
}

TEST_CASE("icl: clipped pair by pair, before the mean") {
  const World world;
  Matrix truth = world.truth, predicted = world.truth;
  truth.col(2) = truth.col(1);          // a dependence that the model does not show
  predicted.col(1) = predicted.col(0);  // and one that it adds
  const Icl found = icl(predicted, truth);
  CHECK(found.pairs[0] == doctest::Approx(1.0));
  CHECK(found.pairs[2] == 0.0);
  CHECK(found.value == doctest::Approx(1.0 / 3.0));
}

TEST_CASE("ctl, icl: a constant hard concept leaks nothing") {
  const World world;
  Matrix predicted = world.truth;
  predicted.col(1).setZero();
  CHECK(ctl(predicted, world.truth, world.labels).value == 0.0);
  CHECK(icl(predicted, world.truth).value == 0.0);
}

TEST_CASE("ctl, icl: what they refuse") {
  const World world;
  CHECK_THROWS_SAYING(ctl(world.truth.leftCols(2), world.truth, world.labels),
                      std::invalid_argument, "predicted is 16 x 2", "truth 16 x 3");
  CHECK_THROWS_SAYING(ctl(world.truth, world.truth, IndexVector(16, 0)), std::domain_error,
                      "one class only");
  CHECK_THROWS_SAYING(ctl(world.truth, world.truth, IndexVector(3, 0)), std::invalid_argument,
                      "labels 3");
  CHECK_THROWS_SAYING(icl(world.truth.leftCols(1), world.truth.leftCols(1)), std::invalid_argument,
                      "predicted has 1 concept");
  Matrix bad = world.truth;
  bad(1, 1) = 0.5;
  CHECK_THROWS_SAYING(icl(world.truth, bad), std::invalid_argument, "truth is not made of whole");
  bad(1, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_SAYING(icl(bad, world.truth), std::invalid_argument, "concepts is nan at row 1");
}

TEST_CASE("ctl, icl: one concept, a class of one, constant soft concepts, too few samples, NaN") {
  const World world;
  Matrix soft = world.truth;
  for (Index i = 0; i < soft.size(); ++i)
    soft.data()[i] = 0.25 + 0.5 * soft.data()[i] + 0.001 * static_cast<double>(i * i % 97);
  CHECK(ctl(soft.leftCols(1), world.truth.leftCols(1), world.labels).concepts.size() == 1);
  IndexVector rare(16, 0);
  rare[3] = 1;
  CHECK(ctl(soft, world.truth, rare).value >= 0.0);
  Matrix constant = soft;
  constant.col(1).setConstant(0.5);
  CHECK(ctl(constant, world.truth, world.labels).concepts[1] == 0.0);
  CHECK(icl(constant, world.truth).value >= 0.0);
  CHECK_THROWS_SAYING(icl(soft.topRows(3), world.truth.topRows(3)), std::invalid_argument,
                      "3 samples", "neighbours = 3");
  CHECK_THROWS_SAYING(icl(soft.topRows(9), world.truth), std::invalid_argument,
                      "predicted is 9 x 3", "truth 16 x 3");
  soft(4, 2) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_SAYING(ctl(soft, world.truth, world.labels), std::invalid_argument,
                      "concepts is nan at row 4");
  CHECK_THROWS_SAYING(ctl(world.truth, soft, world.labels), std::invalid_argument,
                      "concepts is nan at row 4");
}

}  // namespace

}  // namespace conoscope::tests
