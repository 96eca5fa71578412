// SPDX-License-Identifier: Apache-2.0
#include "metrics/stability/concept_matching.h"

#include <doctest/doctest.h>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>
#include <stdexcept>

#include "tests/metrics/stability/found.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

// Orthonormal bases and products of a few entries each.
constexpr double kRounding = 1e-12;

}  // namespace

TEST_CASE("concept_similarity: of vectors |cos|, whatever their length and sign") {
  Matrix a(1, 2), b(2, 2);
  a << 3.0, 0.0;
  b << -5.0, 0.0,  //
      1.0, 1.0;
  const auto one = concepts_of(found(a, Vector::Ones(1), {1}));
  const auto two = concepts_of(found(b, Vector::Ones(2), {2}));
  const Matrix similarity = concept_similarity(one[0], two[0]);
  REQUIRE(similarity.rows() == 1);
  CHECK(similarity(0, 0) == doctest::Approx(1.0).epsilon(kRounding));
  CHECK(similarity(0, 1) == doctest::Approx(std::sqrt(0.5)).epsilon(kRounding));
}

TEST_CASE("concept_similarity: of subspaces by their principal angles, as singular values say") {
  CellExplanation a = found(normal_matrix(5, 7, 1), Vector::Ones(5), {5});
  a.dimensions = {{2, 3}};
  CellExplanation b = found(normal_matrix(3, 7, 2), Vector::Ones(3), {3});
  b.dimensions = {{3}};
  const Matrix similarity = concept_similarity(concepts_of(a)[0], concepts_of(b)[0]);
  REQUIRE(similarity.rows() == 2);
  REQUIRE(similarity.cols() == 1);
  const auto basis = [](const Eigen::MatrixXd& rows) {
    return Eigen::MatrixXd(Eigen::HouseholderQR<Eigen::MatrixXd>(rows.transpose()).householderQ() *
                           Eigen::MatrixXd::Identity(rows.cols(), rows.rows()));
  };
  const Eigen::MatrixXd other = basis(b.explanation.cavs);
  for (const auto& [row, first, p] : {std::tuple(0, 0, 2), std::tuple(1, 2, 3)}) {
    const Eigen::MatrixXd own = basis(a.explanation.cavs.middleRows(first, p));
    const Eigen::VectorXd cosines =
        Eigen::JacobiSVD<Eigen::MatrixXd>(own.transpose() * other).singularValues();
    CHECK(similarity(row, 0) ==
          doctest::Approx(std::sqrt(cosines.squaredNorm() / 3.0)).epsilon(kRounding));
  }
}

TEST_CASE("concept_similarity: a subspace is the same in any basis, and half of a larger one") {
  Matrix plane(2, 3), turned(2, 3), line(1, 3);
  plane << 1, 0, 0, 0, 1, 0;
  turned << 1, 1, 0, 1, -2, 0;
  line << 0, 2, 0;
  CellExplanation a = found(plane, Vector::Ones(2), {2}), b = found(turned, Vector::Ones(2), {2});
  a.dimensions = b.dimensions = {{2}};
  const auto one = concepts_of(a), two = concepts_of(b);
  CHECK(concept_similarity(one[0], two[0])(0, 0) == doctest::Approx(1.0).epsilon(kRounding));
  const auto three = concepts_of(found(line, Vector::Ones(1), {1}));
  CHECK(concept_similarity(one[0], three[0])(0, 0) ==
        doctest::Approx(std::sqrt(0.5)).epsilon(kRounding));
}

TEST_CASE("concepts_of: a CAV of 0 is no concept, and a basis vector too many adds none") {
  Matrix cavs(3, 2);
  cavs << 0, 0,  //
      1, 1,      //
      2, 2;
  Vector importance(3);
  importance << 5, 3, 4;
  auto concepts = concepts_of(found(cavs, importance, {3}));
  REQUIRE(concepts[0].count() == 2);
  CHECK(concepts[0].importance(0, 0) == 3.0);
  CellExplanation plane = found(cavs, importance, {3});
  plane.dimensions = {{1, 2}};
  concepts = concepts_of(plane);
  REQUIRE(concepts[0].count() == 1);
  CHECK(concepts[0].bases[0].rows() == 1);
  CHECK(concepts[0].importance(0, 0) == 5.0);  // the norm of 3 and 4
}

TEST_CASE("match_concepts: the largest sum over all, not the largest first") {
  Matrix similarity(2, 2);
  similarity << 0.90, 0.89,  //
      0.85, 0.20;
  const auto matches = match_concepts(similarity);
  REQUIRE(matches.size() == 2);
  for (const Match& match : matches) CHECK(match.a != match.b);
  CHECK(match_concepts(Matrix(0, 3)).empty());
  // Three on one side: the smaller set decides how many pairs there are.
  Matrix wide(1, 3);
  wide << 0.1, 0.7, 0.3;
  const auto one = match_concepts(wide), other = match_concepts(wide.transpose());
  REQUIRE(one.size() == 1);
  CHECK(one[0].b == 1);
  CHECK(one[0].similarity == 0.7);
  REQUIRE(other.size() == 1);
  CHECK(other[0].a == 1);
}

TEST_CASE("concepts_of: what contradicts itself is refused") {
  CellExplanation wrong = found(Matrix::Identity(3, 3), Vector::Ones(3), {3});
  wrong.dimensions = {{1, 1}};
  CHECK_THROWS_SAYING(concepts_of(wrong), std::invalid_argument, "output 0 do not add up to its 3");
  wrong.dimensions = {{4, -1}};
  CHECK_THROWS_SAYING(concepts_of(wrong), std::invalid_argument, "do not add up");
  CellExplanation hidden = found(Matrix(0, 3), Vector::Ones(3), {3});
  hidden.explanation.project = [](Index, const MatrixRef& rows) { return Matrix(rows); };
  CHECK_THROWS_SAYING(concepts_of(hidden), std::invalid_argument, "does not show its CAVs");
  const auto two = concepts_of(found(Matrix::Identity(1, 2), Vector::Ones(1), {1}));
  const auto three = concepts_of(found(Matrix::Identity(1, 3), Vector::Ones(1), {1}));
  CHECK_THROWS_SAYING(concept_similarity(two[0], three[0]), std::invalid_argument,
                      "CAVs of 2 and of 3 entries");
}

}  // namespace conoscope::tests
