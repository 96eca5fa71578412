// SPDX-License-Identifier: Apache-2.0
#include "metrics/causal/causal_effects.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/concept_grid.h"
#include "tests/support/heads.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

TEST_CASE("causal_effects: by hand") {
  const Matrix concepts = concept_grid(2);
  Matrix values(4, 2);  // 2 c1 - c2 + 3 c1 c2, and c2 + 7
  values << 0, 7, -1, 8, 2, 7, 4, 8;
  const CausalEffects found = causal_effects(values, concepts);
  CHECK(found.effect(0, 0) == doctest::Approx(3.5));  // 2 + 3 / 2
  CHECK(found.effect(1, 0) == doctest::Approx(0.5));  // -1 + 3 / 2
  CHECK(found.effect(0, 1) == 0.0);
  CHECK(found.effect(1, 1) == doctest::Approx(1.0));
  CHECK(found.coverage == doctest::Approx(1.0));
}

TEST_CASE(
    "causal_effects: a model that is linear in the concepts has its weights for effects, "
    "however the concepts depend on one another") {
  Matrix concepts(8, 2);  // mostly both or neither: E[F | c1 = 1] - E[F | c1 = 0] is 1.5
  concepts << 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0;
  const Matrix weight = (Matrix(2, 1) << 2, -1).finished();
  const CausalEffects found = causal_effects(concepts * weight, concepts);
  CHECK(found.effect(0, 0) == doctest::Approx(2.0));
  CHECK(found.effect(1, 0) == doctest::Approx(-1.0));
}

TEST_CASE("causal_effects: free of the origin and of order, in proportion to the scale") {
  const Matrix concepts = concept_grid(4), values = normal_matrix(16, 3, 5);
  const Matrix effect = causal_effects(values, concepts).effect;
  const Matrix moved = (-2.0 * values).array() + 1e3;
  CHECK(causal_effects(moved, concepts).effect.isApprox(-2.0 * effect, 1e-10));
  const Matrix upside = values.colwise().reverse(), down = concepts.colwise().reverse();
  CHECK(causal_effects(upside, down).effect.isApprox(effect, 1e-12));
  const Matrix negated = 1.0 - concepts.array();
  CHECK(causal_effects(values, negated).effect.isApprox(-effect, 1e-12));
}

TEST_CASE("causal_effects: what was not seen") {
  Matrix concepts = concept_grid(2).topRows(3);  // never both
  const CausalEffects found = causal_effects(Vector::LinSpaced(3, 0, 2), concepts);
  CHECK(found.coverage == doctest::Approx(2.0 / 3.0));
  concepts.col(1).setOnes();
  const Matrix effect = causal_effects(Vector::LinSpaced(3, 0, 2), concepts).effect;
  CHECK(std::isfinite(effect(0, 0)));
  CHECK(std::isnan(effect(1, 0)));
}

TEST_CASE("causal_effects: refuses what is no concept") {
  Matrix concepts = concept_grid(2);
  concepts(1, 1) = 0.5;
  CHECK_THROWS_SAYING(causal_effects(Matrix::Ones(4, 1), concepts), std::invalid_argument, "0.5");
  CHECK_THROWS_AS(causal_effects(Matrix::Ones(3, 1), concept_grid(2)), std::invalid_argument);
  CHECK_THROWS_AS(causal_effects(Matrix(4, 0), concept_grid(2)), std::invalid_argument);
}

TEST_CASE(
    "claimed_effects: concepts are named by what they fire for, and those of one name add up") {
  HeadView head;  // the activations are three concepts
  const Matrix concepts = concept_grid(3);
  head.activations = concepts;
  head.weight = normal_matrix(2, 3, 1);
  head.bias = Vector::Zero(2);
  Explanation explanation;  // output 0: twice c1, turned around once; output 1: c3 and nothing
  explanation.cavs = Matrix::Zero(4, 3);
  explanation.cavs(0, 0) = 2.0;
  explanation.cavs(1, 0) = -1.0;
  explanation.cavs(2, 2) = 1.0;
  explanation.importance = (Vector(4) << 3, 0.5, -4, 9).finished();
  explanation.offset = {0, 2, 4};
  const Matrix claim = claimed_effects(ExplainedHead(head, explanation), concepts);
  Matrix expected = Matrix::Zero(3, 2);
  expected(0, 0) = 3.0 * 2.0 - 0.5;
  expected(2, 1) = -4.0;
  CHECK(claim.isApprox(expected, 1e-12));
}

TEST_CASE("claimed_effects: a task head is asked with each concept set, and not set") {
  InterventionProblem problem;
  problem.scores = normal_matrix(6, 2, 3).cwiseAbs().cwiseMin(1.0);
  problem.truth = concept_grid(2);
  problem.truth.conservativeResize(6, 2);
  problem.truth.bottomRows(2).setZero();
  problem.active = Vector::Ones(2);
  problem.inactive = Vector::Zero(2);
  problem.labels = {0, 1, 0, 1, 0, 1};
  const Matrix weight = (Matrix(2, 2) << 1, -2, 0.5, 4).finished();
  problem.head = [&](const MatrixRef& scores, const MatrixRef&) -> Matrix {
    return scores * weight;
  };
  CHECK(claimed_effects(CheckedIntervention(problem)).isApprox(weight, 1e-12));
  problem.head = [](const MatrixRef& scores,
                    const MatrixRef&) -> Matrix {  // a product: depends on the other one
    Matrix out(scores.rows(), 2);
    out.col(0) = scores.col(0).cwiseProduct(scores.col(1));
    out.col(1).setZero();
    return out;
  };
  const Matrix claim = claimed_effects(CheckedIntervention(problem));
  CHECK(claim(0, 0) == doctest::Approx(problem.scores.col(1).mean()));
  CHECK(claim(1, 0) == doctest::Approx(problem.scores.col(0).mean()));
}

}  // namespace

}  // namespace conoscope::tests
