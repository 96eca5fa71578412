// SPDX-License-Identifier: Apache-2.0
#include "numerics/softmax.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace conoscope::tests {

namespace {

using numerics::Matrix;
using numerics::softmax;

TEST_CASE("softmax: by hand, of each row, and of scores in the thousands") {
  const Matrix p = softmax((Matrix(3, 2) << 0, std::log(3.0), 5000, 5000, 0, -5000).finished());
  CHECK(p(0, 0) == doctest::Approx(0.25).epsilon(1e-15));
  CHECK(p(0, 1) == doctest::Approx(0.75).epsilon(1e-15));
  CHECK(p.bottomRows(2) == (Matrix(2, 2) << 0.5, 0.5, 1, 0).finished());
  CHECK(softmax(Matrix::Constant(2, 1, 7.0)) == Matrix::Ones(2, 1));
  CHECK(softmax(Matrix(0, 3)).rows() == 0);
}

TEST_CASE("softmax: NaN and +inf make their own row NaN, -inf has the probability 0") {
  const double infinity = std::numeric_limits<double>::infinity();
  const Matrix p =
      softmax((Matrix(4, 2) << infinity, 0, 0, 0, std::nan(""), 0, 0, -infinity).finished());
  CHECK((p.row(0).array().isNaN() && p.row(2).array().isNaN()).all());
  CHECK(p.row(1) == Eigen::RowVector2d(0.5, 0.5));
  CHECK(p.row(3) == Eigen::RowVector2d(1.0, 0.0));
}

}  // namespace

}  // namespace conoscope::tests
