// SPDX-License-Identifier: Apache-2.0
#include "numerics/logistic_regression.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "numerics/random.h"
#include "tests/support/throws.h"

using namespace conoscope::numerics;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Labels 0 ... classes-1; the first column is the label, moved at random so that classes overlap.
struct Sample {
  Matrix x;
  IndexVector labels;

  Sample(Index n, Index width, Index classes, std::uint64_t seed) : x(n, width) {
    Random random(seed);
    for (Index i = 0; i < n; ++i) {
      labels.push_back(static_cast<Index>(random.below(static_cast<std::uint64_t>(classes))));
      for (Index j = 0; j < width; ++j) x(i, j) = random.normal();
      x(i, 0) += static_cast<double>(labels.back());
    }
  }
};

/// The gradient of the summed loss by the scores, n x (1 or classes).
Matrix misses(const LogisticRegression& model, const Sample& s) {
  Matrix miss = model.probabilities(s.x);
  for (Index i = 0; i < miss.rows(); ++i) {
    CHECK(miss.row(i).sum() == doctest::Approx(1.0));
    miss(i, s.labels[static_cast<std::size_t>(i)]) -= 1.0;
  }
  return model.weight.rows() == 1 ? Matrix(miss.col(1)) : miss;
}

}  // namespace

TEST_CASE("logistic_regression: the gradient is zero, for two classes and for more") {
  for (const Index classes : {2, 4}) {
    const Sample s(300, 3, classes, 4);
    const LogisticRegression model = logistic_regression(s.x, s.labels, classes);
    const Matrix miss = misses(model, s);
    CHECK((miss.transpose() * s.x + model.weight).cwiseAbs().maxCoeff() < 1e-4);
    CHECK(miss.colwise().sum().cwiseAbs().maxCoeff() < 1e-4);
  }
}

TEST_CASE("logistic_regression: the gradient is as small as promised where the loss is large") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    Sample s(10000, 5, 5, seed);
    for (Index i = 0; i < 10000; ++i)
      s.x(i, 0) -= static_cast<double>(s.labels[static_cast<std::size_t>(i)]);
    s.x = (0.1 * s.x.array() + 1.1).matrix();  // says nothing of the label: the loss is n ln 5
    const LogisticRegression model = logistic_regression(s.x, s.labels, 5);
    const Matrix miss = misses(model, s);
    CHECK((miss.transpose() * s.x + model.weight).cwiseAbs().maxCoeff() <= 1.01e-4);
    CHECK(miss.colwise().sum().cwiseAbs().maxCoeff() <= 1.01e-4);
  }
}

TEST_CASE("logistic_regression_newton: the same minimum, with fewer features than rows and more") {
  for (const Index width : {3, 60}) {
    CAPTURE(width);
    const Sample s(40, width, 2, 5);
    const LogisticRegression model = logistic_regression_newton(s.x, s.labels, 0.5);
    const Matrix miss = misses(model, s);
    CHECK((miss.transpose() * s.x + 2.0 * model.weight).cwiseAbs().maxCoeff() < 1e-6);
    CHECK(std::abs(miss.sum()) < 1e-6);
    const LogisticRegression other = logistic_regression(s.x, s.labels, 2, 0.5);
    CHECK((model.weight - other.weight).cwiseAbs().maxCoeff() < 1e-4);
    CHECK(model.intercept[0] == doctest::Approx(other.intercept[0]).epsilon(1e-4));
  }
}

TEST_CASE("logistic_regression: what is refused") {
  const Sample s(30, 3, 2, 4);
  CHECK_THROWS_SAYING(logistic_regression(s.x, {0, 1}, 2), std::invalid_argument, "2 labels");
  CHECK_THROWS_SAYING(logistic_regression(s.x, s.labels, 1), std::invalid_argument, "classes is 1");
  CHECK_THROWS_SAYING(logistic_regression(s.x, s.labels, 2, 0.0), std::invalid_argument, "c is 0");
  CHECK_THROWS_SAYING(logistic_regression(Matrix(0, 2), {}, 2), std::invalid_argument, "0 x 2");
  CHECK_THROWS_SAYING(logistic_regression(Matrix::Constant(1, 1, kNaN), {0}, 2),
                      std::invalid_argument, "x is nan");
  CHECK_THROWS_SAYING(logistic_regression(s.x, s.labels, 2).probabilities(s.x.leftCols(1)),
                      std::invalid_argument, "x has 1 columns");
  CHECK_THROWS_SAYING(logistic_regression_newton(s.x, {0, 1}), std::invalid_argument, "2 labels");
  CHECK_THROWS_SAYING(logistic_regression_newton(s.x, IndexVector(30, 2)), std::invalid_argument,
                      "label 2");
  CHECK_THROWS_SAYING(logistic_regression_newton(s.x, s.labels, 0.0), std::invalid_argument,
                      "c is 0");
  CHECK_THROWS_SAYING(logistic_regression_newton(Matrix(0, 2), {}), std::invalid_argument, "empty");
}
