// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/cdisco/loss_relevance.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "tests/support/throws.h"

using namespace conoscope::methods;
using namespace conoscope::numerics;

TEST_CASE("the gradient of the cross entropy, by hand and by differences") {
  const double ln3 = std::log(3.0);
  const Matrix gradient = cross_entropy_gradient(Matrix{{ln3, 0.0}, {0.0, ln3}}, {0, 0});
  CHECK(gradient.isApprox(Matrix{{-0.25, 0.25}, {-0.75, 0.75}}, 1e-14));

  const auto loss = [](const Matrix& y, Index target) {
    return std::log(y.array().exp().sum()) - y(0, target);
  };
  const Matrix y{{0.3, -1.2, 2.0}};
  const Matrix rise = cross_entropy_gradient(y, {1});
  for (Index c = 0; c < 3; ++c) {
    Matrix up = y, down = y;
    up(0, c) += 1e-5;
    down(0, c) -= 1e-5;
    CHECK(rise(0, c) == doctest::Approx((loss(up, 1) - loss(down, 1)) / 2e-5).epsilon(1e-8));
  }
  // Logits in the thousands neither overflow nor lose the sum of 0.
  const Matrix large = cross_entropy_gradient(Matrix{{4000.0, -4000.0}}, {1});
  CHECK(large == Matrix{{1.0, -1.0}});
}

TEST_CASE("relevance: the mean over positions of max(0, gradient) times activation") {
  const Matrix activations{{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}, {7.0, 8.0}};
  const Matrix gradients{{1.0, -1.0}, {-1.0, 0.5}, {0.0, 2.0}, {2.0, 0.0}};
  CHECK(rectified_relevance(activations, gradients, 2) == Matrix{{0.5, 1.0}, {7.0, 6.0}});
}

TEST_CASE("z-score of a group against the others, by hand") {
  // Others of group 1: 1 and 3, mean 2, population deviation 1; the group's mean is 5.
  const Matrix x{{1.0}, {4.0}, {3.0}, {6.0}};
  CHECK(z_score_of_group(x, {0, 1, 0, 1}, 1)[0] == 3.0);
  // Of group 0: 4 and 6, mean 5, deviation 1, the group's mean is 2.
  CHECK(z_score_of_group(x, {0, 1, 0, 1}, 0)[0] == -3.0);
}

TEST_CASE("what is refused") {
  const Matrix one = Matrix::Ones(2, 2);
  const Matrix nan = Matrix::Constant(2, 2, std::numeric_limits<double>::quiet_NaN());
  CHECK_THROWS_SAYING(cross_entropy_gradient(Matrix(0, 2), {}), std::invalid_argument, "empty");
  CHECK_THROWS_SAYING(cross_entropy_gradient(nan, {0, 0}), std::invalid_argument, "nan");
  CHECK_THROWS_SAYING(cross_entropy_gradient(one, {0}), std::invalid_argument,
                      "1 targets for 2 rows");
  CHECK_THROWS_SAYING(cross_entropy_gradient(one, {0, 2}), std::invalid_argument,
                      "the target of row 1 is 2, expected 0 ... 1");
  CHECK_THROWS_SAYING(cross_entropy_gradient(one, {-1, 0}), std::invalid_argument, "row 0 is -1");

  CHECK_THROWS_SAYING(rectified_relevance(Matrix(0, 2), Matrix(0, 2), 1), std::invalid_argument,
                      "activations is empty");
  CHECK_THROWS_SAYING(rectified_relevance(one, nan, 1), std::invalid_argument, "gradients");
  CHECK_THROWS_SAYING(rectified_relevance(nan, one, 1), std::invalid_argument, "activations");
  CHECK_THROWS_SAYING(rectified_relevance(one, Matrix::Ones(2, 3), 1), std::invalid_argument,
                      "differ in shape");
  CHECK_THROWS_SAYING(rectified_relevance(one, one, 0), std::invalid_argument, "positions = 0");
  CHECK_THROWS_SAYING(rectified_relevance(Matrix::Ones(3, 2), Matrix::Ones(3, 2), 2),
                      std::invalid_argument, "3 rows are no multiple of 2");

  CHECK_THROWS_SAYING(z_score_of_group(nan, {0, 1}, 0), std::invalid_argument, "nan");
  CHECK_THROWS_SAYING(z_score_of_group(one, {0}, 0), std::invalid_argument, "1 groups for 2 rows");
  CHECK_THROWS_SAYING(z_score_of_group(one, {0, 0}, 1), std::domain_error, "group 1 is empty");
  CHECK_THROWS_SAYING(z_score_of_group(one, {0, 0}, 0), std::domain_error, "no others");
  CHECK_THROWS_SAYING(z_score_of_group(one, {0, 1}, 0), std::domain_error,
                      "do not vary in column 0");
  // The mean of many 0.1 is rounded, so that they seem to vary.
  Matrix many = Matrix::Constant(10000, 1, 0.1);
  std::vector<Index> groups(10000, 1);
  many(0, 0) = 0.2;
  groups[0] = 0;
  CHECK_THROWS_SAYING(z_score_of_group(many, groups, 0), std::domain_error,
                      "do not vary in column 0");
}
