// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/concept_scores.h"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace conoscope::metrics;

namespace {

/// Two samples of two positions below average pooling: pooled to (2, 0) and (1, 3).
HeadView head() {
  HeadView out;
  out.activations = Matrix{{1.0, 0.0}, {3.0, 0.0}, {0.0, 2.0}, {2.0, 4.0}};
  out.positions = 2;
  out.pooling = Pooling::kMean;
  out.weight = Matrix{{1.0, 0.0}, {0.0, 1.0}};
  out.bias = Vector::Zero(2);
  return out;
}

Explanation explanation() {
  Explanation out;
  out.cavs = Matrix{{1.0, 0.0}, {0.0, 1.0}, {1.0, -1.0}};
  out.importance = Vector::Ones(3);
  out.offset = {0, 1, 3};
  return out;
}

}  // namespace

TEST_CASE("concept_scores: the concepts of all outputs side by side, on pooled embeddings") {
  CHECK(concept_scores(head(), explanation()) == Matrix{{2.0, 0.0, 2.0}, {1.0, 3.0, -2.0}});
}

TEST_CASE("concept_scores: a class-agnostic explanation has each concept once") {
  Explanation shared = explanation();
  shared.class_agnostic = true;
  shared.importance_by_output = Matrix::Ones(2, 3);
  CHECK(concept_scores(head(), shared) == Matrix{{2.0, 0.0, 2.0}, {1.0, 3.0, -2.0}});
}

TEST_CASE("concept_scores: a called projection is asked output by output") {
  Explanation called = explanation();
  called.project = [](Index output, const MatrixRef& rows) {
    Matrix out(rows.rows(), output == 0 ? 1 : 2);
    out.setConstant(static_cast<double>(10 + output));
    return out;
  };
  CHECK(concept_scores(head(), called) == Matrix{{10.0, 11.0, 11.0}, {10.0, 11.0, 11.0}});
}

TEST_CASE("concept_scores: what is refused") {
  HeadView flat = head();
  flat.pooling = Pooling::kFlatten;
  flat.weight = Matrix::Ones(2, 4);
  CHECK_THROWS_WITH_AS(concept_scores(flat, explanation()),
                       "concept_scores: a flattened head has one concept per position",
                       std::invalid_argument);
  Explanation none = explanation();
  none.cavs.resize(0, 2);
  none.importance.resize(0);
  none.offset = {0, 0, 0};
  CHECK_THROWS_WITH_AS(concept_scores(head(), none),
                       "concept_scores: the explanation has no concept", std::invalid_argument);
}
