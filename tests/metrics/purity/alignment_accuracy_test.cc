// SPDX-License-Identifier: Apache-2.0
#include "metrics/purity/alignment_accuracy.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "tests/metrics/purity/hand_made.h"

using namespace conoscope::metrics;
using conoscope::tests::HandMade;

TEST_CASE("accuracy_matrix: each concept by its own representation, by others at chance") {
  const HandMade made(2000, 3);
  const Matrix accuracy = accuracy_matrix(made.pure, 1, made.concepts);
  REQUIRE(accuracy.rows() == 3);
  REQUIRE(accuracy.cols() == 3);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j) {
      CAPTURE(i);
      CAPTURE(j);
      if (i == j)
        CHECK(accuracy(i, j) > 0.99);
      else
        CHECK(accuracy(i, j) < 0.6);
    }
}

TEST_CASE("accuracy_matrix: a representation of two columns, and another order") {
  const HandMade made(1000, 2);
  Matrix wide(1000, 4);
  wide << made.pure.col(1), Matrix::Zero(1000, 1), Matrix::Zero(1000, 1), made.pure.col(0);
  const Matrix accuracy = accuracy_matrix(wide, 2, made.concepts);
  REQUIRE(accuracy.rows() == 2);
  CHECK(accuracy(0, 1) > 0.99);
  CHECK(accuracy(1, 0) > 0.99);
}

TEST_CASE("accuracy_matrix: what it refuses") {
  const HandMade made(50, 2);
  CHECK_THROWS_AS(accuracy_matrix(made.pure, 3, made.concepts), std::invalid_argument);
  CHECK_THROWS_AS(accuracy_matrix(made.pure.topRows(9), 1, made.concepts), std::invalid_argument);
  CHECK_THROWS_AS(accuracy_matrix(made.pure.col(0), 1, made.concepts.col(0)),
                  std::invalid_argument);
  CHECK_THROWS_AS(accuracy_matrix(made.pure, 1, Matrix::Ones(50, 2)), std::domain_error);
  CHECK_THROWS_AS(accuracy_matrix(made.pure, 1, made.concepts * 2.0), std::invalid_argument);
}
