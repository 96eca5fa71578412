// SPDX-License-Identifier: Apache-2.0
#include "metrics/causal/cace.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "metrics/faithfulness/concept_scores.h"
#include "tests/support/concept_grid.h"
#include "tests/support/heads.h"
#include "tests/support/score_group.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A network whose activations are four concepts, explained by them: the model is linear in its
/// concepts, so that the effects are its weights.
struct LinearInConcepts {
  HeadView head;
  Explanation explanation;
  Annotations annotations;

  LinearInConcepts() {
    annotations.concepts = concept_grid(4);
    head.activations = annotations.concepts;
    head.weight = normal_matrix(3, 4, 11);
    head.bias = normal_matrix(3, 1, 12);
    explanation.class_agnostic = true;
    explanation.cavs = Matrix::Identity(4, 4);
    explanation.importance_by_output = head.weight;
  }
  Score score(std::string_view name) const {
    ConceptView scores;
    scores.scores = concept_scores(head, explanation);
    Views views{.head = &head,
                .explanation = &explanation,
                .concepts = &scores,
                .annotations = &annotations};
    return score_group(views, name).at(std::string(name));
  }
};

TEST_CASE("cace_error, cace_correlation: by hand") {
  const Matrix truth = (Matrix(2, 2) << 3, 0, 0, 4).finished();
  const Matrix claim = (Matrix(2, 2) << 3, 0, 0, 1).finished();
  const Result error = cace_error(truth, claim);
  CHECK(error.value == doctest::Approx(3.0 / 5.0));
  REQUIRE(error.parts.size() == 2);
  CHECK(error.parts[0] == 0.0);
  CHECK(error.parts[1] == doctest::Approx(3.0 / std::sqrt(2.0)));
  CHECK(cace_error(truth, truth).value == 0.0);
  CHECK(cace_error(truth, Matrix::Zero(2, 2)).value == doctest::Approx(1.0));
  // truth - 7/4: 5, -7, -7, 9 (quarters); claim - 1: 2, -1, -1, 0
  CHECK(cace_correlation(truth, claim).value == doctest::Approx(24.0 / std::sqrt(204.0 * 6.0)));
}

TEST_CASE("cace_error: in the unit of the claims; cace_correlation: in none") {
  const Matrix truth = normal_matrix(5, 3, 1), claim = truth + 0.3 * normal_matrix(5, 3, 2);
  CHECK(cace_error(4.0 * truth, 4.0 * claim).value ==
        doctest::Approx(cace_error(truth, claim).value));
  CHECK(cace_error(truth, 2.0 * truth).value == doctest::Approx(1.0));
  const Matrix scaled = (3.0 * claim).array() + 8.0;
  CHECK(cace_correlation(truth, scaled).value ==
        doctest::Approx(cace_correlation(truth, claim).value));
}

TEST_CASE("cace: concepts that never change are left out") {
  Matrix truth = normal_matrix(3, 2, 1), claim = normal_matrix(3, 2, 2);
  const double without = cace_error(truth.topRows(2), claim.topRows(2)).value;
  truth.row(2).setConstant(kNaN);
  claim.row(2).setConstant(kNaN);
  CHECK(cace_error(truth, claim).value == without);
  const auto parts = cace_error(truth, claim).parts;
  REQUIRE(parts.size() == 3);  // a part's number is its concept's
  CHECK(std::isfinite(parts[1]));
  CHECK(std::isnan(parts[2]));
}

TEST_CASE("cace: what has no number") {
  CHECK_THROWS_SAYING(cace_error(Matrix::Ones(2, 2), Matrix::Ones(2, 3)), std::invalid_argument,
                      "claim 2 x 3");
  CHECK_THROWS_SAYING(cace_error(Matrix::Ones(1, 1), Matrix::Constant(1, 1, kNaN)),
                      std::invalid_argument, "claim");
  CHECK_THROWS_SAYING(cace_error(Matrix::Zero(2, 2), Matrix::Ones(2, 2)), std::domain_error,
                      "no concept has an effect");
  CHECK_THROWS_SAYING(cace_error(Matrix::Constant(2, 2, kNaN), Matrix::Ones(2, 2)),
                      std::domain_error, "no annotated concept changes");
  CHECK_THROWS_SAYING(cace_correlation(normal_matrix(2, 2, 1), Matrix::Ones(2, 2)),
                      std::domain_error, "all claims are the same");
  CHECK_THROWS_SAYING(cace_correlation(normal_matrix(1, 2, 1), normal_matrix(1, 2, 2)),
                      std::domain_error, "2 effects have no correlation");
  CHECK_THROWS_SAYING(cace_correlation(Matrix::Ones(2, 2), normal_matrix(2, 2, 1)),
                      std::domain_error, "all effects are the same");
}

TEST_CASE("cace: exact where the true effect is known, worse with every share of it lost") {
  LinearInConcepts subject;
  CHECK(subject.score("cace_error").value < 1e-12);
  CHECK(subject.score("cace_correlation").value == doctest::Approx(1.0));
  subject.explanation.cavs.row(3).setZero();
  const double one_lost = subject.score("cace_error").value;
  const Matrix effects = subject.head.weight.rowwise() - subject.head.weight.colwise().mean();
  CHECK(one_lost == doctest::Approx(effects.col(3).norm() / effects.norm()));
  subject.explanation.importance_by_output = normal_matrix(3, 4, 5);
  CHECK(subject.score("cace_error").value > one_lost);
  CHECK(subject.score("cace_correlation").value < 0.9);
}

TEST_CASE("cace: what is added to the logits of all classes makes no difference") {
  LinearInConcepts subject;
  subject.explanation.importance_by_output = normal_matrix(3, 4, 5);
  const double error = subject.score("cace_error").value,
               correlation = subject.score("cace_correlation").value;
  subject.explanation.importance_by_output.rowwise() += normal_matrix(1, 4, 6).row(0);
  CHECK(subject.score("cace_error").value == doctest::Approx(error));
  CHECK(subject.score("cace_correlation").value == doctest::Approx(correlation));
  subject.head.output = Output::kSigmoid;  // each output by itself
  CHECK(subject.score("cace_error").value != doctest::Approx(error));
}

TEST_CASE("cace: what a subject lacks") {
  LinearInConcepts subject;
  subject.annotations.concepts *= 2.0;
  CHECK(subject.score("cace_error").message == "the annotated concepts are not binary");
  subject.annotations.concepts = concept_grid(4);
  subject.annotations.concepts.col(2).setOnes();
  CHECK(subject.score("cace_error").message ==
        "1 concept left out: annotated alike in all samples");
  Matrix tied = concept_grid(4);
  tied.col(1) = tied.col(0);
  subject.annotations.concepts = tied;
  CHECK(subject.score("cace_error").message ==
        "a concept occurs in only 50 % of the combinations of the others; below 90 % its effect is "
        "not known");
  ConceptView model;
  model.scores = concept_grid(4);
  Views views{.concepts = &model, .annotations = &subject.annotations};
  CHECK(score_group(views, "causal").at("cace_error").message ==
        "needs labels to ask a concept model's head");
  subject.annotations.labels.assign(16, 0);
  CHECK(score_group(views, "causal").at("cace_error").message ==
        "the model answers no interventions");
}

}  // namespace

}  // namespace conoscope::tests
