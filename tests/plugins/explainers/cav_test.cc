// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/ace/cav.h"

#include <doctest/doctest.h>

#include <Eigen/LU>
#include <cmath>
#include <stdexcept>

#include "numerics/random.h"

namespace conoscope::methods {
namespace {

Matrix cloud(Index rows, Index width, double shift, std::uint64_t seed) {
  numerics::Random random{numerics::Seed(seed)};
  Matrix out(rows, width);
  for (Index i = 0; i < out.size(); ++i) out.data()[i] = random.normal();
  out.col(0).array() += shift;
  return out;
}

TEST_CASE("two points: the direction between them") {
  Matrix has(1, 2), lacks(1, 2);
  has << 3, 1;
  lacks << 0, -3;
  const Vector v = concept_activation_vector(has, lacks);
  CHECK(v[0] == doctest::Approx(0.6).epsilon(1e-7));
  CHECK(v[1] == doctest::Approx(0.8).epsilon(1e-7));
  CHECK((concept_activation_vector(lacks, has) + v).norm() < 1e-7);
}

TEST_CASE("the minimum of the penalised loss: its gradient vanishes along the direction") {
  for (const Index width : {3, 60}) {  // more and fewer rows than features
    const Matrix has = cloud(20, width, 1.0, 1), lacks = cloud(15, width, 0.0, 2);
    const Vector v = concept_activation_vector(has, lacks, 0.5);
    CHECK(v.norm() == doctest::Approx(1.0));
    // With the direction fixed only length s and intercept b are free; at the best of these the
    // gradient across the direction must vanish too: sum_i y_i sigma(-margin_i) x_i is along v.
    double s = 0.1, b = 0.0;
    for (int step = 0; step < 500; ++step) {
      Eigen::Vector2d g(s, 0.0);
      Eigen::Matrix2d h = Eigen::Matrix2d::Zero();
      h(0, 0) = 1.0;
      const auto add = [&](const Matrix& rows, double y) {
        for (Index i = 0; i < rows.rows(); ++i) {
          const double z = rows.row(i).dot(v), p = 1.0 / (1.0 + std::exp(y * (s * z + b)));
          g += Eigen::Vector2d(z, 1.0) * (-0.5 * y * p);
          h += Eigen::Vector2d(z, 1.0) * Eigen::RowVector2d(z, 1.0) * (0.5 * p * (1.0 - p));
        }
      };
      add(has, 1.0);
      add(lacks, -1.0);
      const Eigen::Vector2d move = h.inverse() * g;
      s -= 0.5 * move[0];
      b -= 0.5 * move[1];
    }
    Vector pull = Vector::Zero(width);
    for (Index i = 0; i < has.rows(); ++i)
      pull += 0.5 / (1.0 + std::exp(s * has.row(i).dot(v) + b)) * has.row(i).transpose();
    for (Index i = 0; i < lacks.rows(); ++i)
      pull -= 0.5 / (1.0 + std::exp(-s * lacks.row(i).dot(v) - b)) * lacks.row(i).transpose();
    CHECK((pull - s * v).norm() < 1e-6 * pull.norm());
  }
}

TEST_CASE("clouds apart are told apart; the same rows give no direction") {
  const Vector v = concept_activation_vector(cloud(40, 8, 6.0, 1), cloud(40, 8, 0.0, 2));
  CHECK(v[0] > 0.9);
  const Matrix same = cloud(10, 4, 0.0, 3);
  CHECK(concept_activation_vector(same, same).isZero(0.0));
  CHECK(concept_activation_vector(same.replicate(3, 1), same).isZero(0.0));
}

TEST_CASE("refusals") {
  const Matrix good = cloud(3, 2, 0.0, 1);
  CHECK_THROWS_AS(concept_activation_vector(Matrix(0, 2), good), std::invalid_argument);
  CHECK_THROWS_AS(concept_activation_vector(good, Matrix(0, 2)), std::invalid_argument);
  CHECK_THROWS_AS(concept_activation_vector(good, cloud(3, 4, 0.0, 1)), std::invalid_argument);
  CHECK_THROWS_AS(concept_activation_vector(good, good, 0.0), std::invalid_argument);
  Matrix bad = good;
  bad(0, 0) = std::nan("");
  CHECK_THROWS_AS(concept_activation_vector(bad, good), std::invalid_argument);
}

}  // namespace
}  // namespace conoscope::methods
