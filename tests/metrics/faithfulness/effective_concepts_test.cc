// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/effective_concepts.h"

#include <doctest/doctest.h>

#include <limits>

#include "tests/support/heads.h"
#include "tests/support/score_group.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

/// One row of importances for each output; all outputs share as many CAVs.
Explanation weighing(const Matrix& importance) {
  Explanation explanation;
  explanation.class_agnostic = true;
  explanation.cavs = Matrix::Identity(importance.cols(), importance.cols());
  explanation.importance_by_output = importance;
  return explanation;
}

TEST_CASE("effective_concepts: by hand") {
  const Matrix four = (Matrix(1, 4) << 2, -1, 1e-3, 0).finished();
  CHECK(effective_concepts(weighing(four)).value == 3.0);

  Explanation own;  // output 0: three alike; output 1: one; output 2: none; output 3: 0 only
  own.cavs = Matrix::Identity(5, 5);
  own.importance = (Vector(5) << 0.3, 0.3, -0.3, 7, 0).finished();
  own.offset = {0, 3, 4, 4, 5};
  const Result result = effective_concepts(own);
  CHECK(result.value == doctest::Approx(2.0));
  REQUIRE(result.parts.size() == 4);
  CHECK(result.parts[0] == doctest::Approx(3.0));
  CHECK(result.parts[1] == 1.0);
  CHECK(result.parts[2] == 0.0);
  CHECK(result.parts[3] == 0.0);
  CHECK(result.caveat == "2 outputs left out: no importance other than 0");
}

TEST_CASE("effective_concepts: free of scale and order, and unmoved by concepts of importance 0") {
  const Matrix importance = normal_matrix(3, 6, 1);
  CHECK(effective_concepts(weighing(-3.0 * importance)).value == 6.0);
  Matrix wider = Matrix::Zero(3, 9);
  wider.rightCols(6) = importance.rowwise().reverse();
  CHECK(effective_concepts(weighing(wider)).value == 6.0);
  wider.leftCols(3).setConstant(1e-300);  // what rounding leaves of 0
  CHECK(effective_concepts(weighing(wider)).value == 6.0);
}

TEST_CASE("effective_concepts: what has no number") {
  CHECK_THROWS_SAYING(effective_concepts(weighing(Matrix::Zero(2, 3))), std::domain_error,
                      "every importance is 0");
  CHECK_THROWS_SAYING(effective_concepts(weighing(Matrix(2, 0))), std::domain_error,
                      "every importance is 0");
  CHECK_THROWS_SAYING(
      effective_concepts(weighing(Matrix::Constant(1, 2, std::numeric_limits<double>::infinity()))),
      std::invalid_argument, "importance_by_output");
}

TEST_CASE("effective_concepts: one concept for each class of the perfect explanation") {
  const HeadView head = random_head(40, 1, 8, 3, Pooling::kNone);
  const Explanation explanation = perfect_explanation(head);
  Views views{.head = &head, .explanation = &explanation};
  auto scores = score_group(views, "parsimony");
  CHECK(scores.at("effective_concepts").value == 1.0);
}

}  // namespace

}  // namespace conoscope::tests
