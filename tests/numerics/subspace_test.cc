// SPDX-License-Identifier: Apache-2.0
#include "numerics/subspace.h"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include "numerics/random.h"
#include "tests/support/normals.h"

using namespace conoscope::numerics;
using conoscope::testing::normals;

namespace {

constexpr auto kFo = DimensionRule::kFukunagaOlsen;

}  // namespace

TEST_CASE("subspace_basis: the directions of variation, not the mean") {
  Matrix x(4, 3);  // about (0, 0, 9): variances 2/3 * 9 along axis 0, 2/3 along axis 1
  x << 3, 0, 9, -3, 0, 9, 0, 1, 9, 0, -1, 9;
  const Matrix both = subspace_basis(x, kFo, 0.05);
  CHECK(both.isApprox(Matrix::Identity(2, 3), 1e-12));
  CHECK(subspace_basis(x, kFo, 0.2).rows() == 1);  // 1 / 9 is not above 0.2
  CHECK(subspace_basis(x, DimensionRule::kRatio, 0.8).rows() == 1);
  CHECK(subspace_basis(x, DimensionRule::kRatio, 0.95).rows() == 2);
  CHECK(subspace_basis(x, kFo, 0.05, 1).rows() == 1);
  CHECK(subspace_basis(x, kFo, 0.05, 7).rows() == 2);
}

TEST_CASE("subspace_basis: rows that do not differ span nothing") {
  CHECK(subspace_basis(normals(1, 5, 1), kFo, 0.05).rows() == 0);
  const Matrix same = normals(1, 5, 1).replicate(7, 1);
  CHECK(subspace_basis(same, kFo, 0.05).rows() == 0);
  CHECK(subspace_basis(same, kFo, 0.05).cols() == 5);
  CHECK(subspace_basis(Matrix::Zero(3, 5), kFo, 0.05).rows() == 0);
}

TEST_CASE("subspace_coefficients: two oblique lines, by hand") {
  Matrix bases(2, 3), h(1, 3);
  bases << 1, 0, 0, 0.6, 0.8, 0;
  h << 2, 4, 7;
  // 4 = 0.8 p_2, 2 = p_1 + 0.6 p_2; <h, v> would be 2 and 4.4
  const Matrix p = subspace_coefficients(h, bases);
  CHECK(p(0, 0) == doctest::Approx(-1.0).epsilon(1e-14));
  CHECK(p(0, 1) == doctest::Approx(5.0).epsilon(1e-14));
  CHECK(subspace_coefficients(h, Matrix(0, 3)).cols() == 0);
}

TEST_CASE("subspace_coefficients: more vectors than dimensions, and subspaces that meet") {
  const Matrix h = normals(6, 4, 2), many = normals(9, 4, 3);
  CHECK((subspace_coefficients(h, many) * many).isApprox(h, 1e-12));
  Matrix twice(2, 4);
  twice << 1, 0, 0, 0, 1, 0, 0, 0;
  const Matrix p = subspace_coefficients(h, twice);
  CHECK(p.col(0).isApprox(0.5 * h.col(0), 1e-14));
  CHECK(p.col(1).isApprox(0.5 * h.col(0), 1e-14));
}

TEST_CASE("subspace_relevance: local sums to the logit, completeness is the projection's") {
  const Matrix h = normals(5, 8, 4), bases = normals(5, 8, 5);
  const Vector w = normals(1, 8, 6).transpose();
  const SubspaceRelevance r = subspace_relevance(h, w, bases, {2, 0, 3});
  CHECK(r.local.rowwise().sum().isApprox(h * w, 1e-12));
  CHECK(r.local.col(1).isZero(0.0));
  CHECK(r.global[1] == 0.0);
  CHECK(r.completeness * r.completeness + r.global[3] * r.global[3] == doctest::Approx(1.0));
  const SubspaceRelevance all = subspace_relevance(h, w, normals(8, 8, 7), {8});
  CHECK(all.completeness == doctest::Approx(1.0));
  const SubspaceRelevance none = subspace_relevance(h, w, Matrix(0, 8), {});
  CHECK(none.completeness == 0.0);
  CHECK(none.global[0] == doctest::Approx(1.0));

  Matrix axes = Matrix::Identity(2, 3);  // w = (3, 4, 12): 3/13, 4/13, complement 12/13
  Vector by_hand(3);
  by_hand << 3, 4, 12;
  const SubspaceRelevance hand = subspace_relevance(Matrix::Ones(1, 3), by_hand, axes, {1, 1});
  CHECK(hand.global[0] == doctest::Approx(3.0 / 13.0));
  CHECK(hand.global[2] == doctest::Approx(12.0 / 13.0));
  CHECK(hand.completeness == doctest::Approx(5.0 / 13.0));
  CHECK(hand.local(0, 1) == doctest::Approx(4.0));
}

TEST_CASE("subspace: what it refuses") {
  const Matrix x = normals(4, 3, 1);
  Matrix bad = x;
  bad(1, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(subspace_basis(Matrix(0, 3), kFo, 0.05), std::invalid_argument);
  CHECK_THROWS_AS(subspace_basis(bad, kFo, 0.05), std::invalid_argument);
  CHECK_THROWS_AS(subspace_basis(x, kFo, 0.0), std::invalid_argument);
  CHECK_THROWS_AS(subspace_basis(x, kFo, 1.0), std::invalid_argument);
  CHECK_THROWS_AS(subspace_basis(x, kFo, 0.05, -1), std::invalid_argument);
  CHECK_THROWS_AS(subspace_coefficients(x, normals(2, 4, 1)), std::invalid_argument);
  CHECK_THROWS_AS(subspace_coefficients(bad, x), std::invalid_argument);
  CHECK_THROWS_AS(subspace_coefficients(x, bad), std::invalid_argument);
  const Vector w = Vector::Ones(3);
  CHECK_THROWS_AS(subspace_relevance(x, w, x.topRows(2), {1}), std::invalid_argument);
  CHECK_THROWS_AS(subspace_relevance(x, w, x.topRows(2), {3, -1}), std::invalid_argument);
  CHECK_THROWS_AS(subspace_relevance(x, Vector::Zero(3), x.topRows(2), {2}), std::domain_error);
}
