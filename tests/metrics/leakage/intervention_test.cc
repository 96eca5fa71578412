// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/intervention.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "metrics/leakage/best_table_accuracy.h"
#include "metrics/leakage/s_int.h"
#include "metrics/metric.h"
#include "metrics/subject.h"
#include "tests/support/throws.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

// The label is the first concept; the model has it wrong in the last two samples.
InterventionProblem first_concept() {
  InterventionProblem out;
  out.truth = (Matrix(4, 2) << 1, 0, 0, 1, 1, 1, 0, 0).finished();
  out.scores = (Matrix(4, 2) << 1, 0, 0, 1, 0.2, 1, 0.8, 0).finished();
  out.active = Vector::Ones(2);
  out.inactive = Vector::Zero(2);
  out.labels = {1, 0, 1, 0};
  out.head = [](const MatrixRef& scores, const MatrixRef&) {
    Matrix logits = Matrix::Zero(scores.rows(), 2);
    logits.col(1) = (scores.col(0).array() - 0.5) * 4.0;
    return logits;
  };
  return out;
}

InterventionOrder order_of(Index first, Index second) {
  InterventionOrder out(4, 2);
  out.col(0).setConstant(first);
  out.col(1).setConstant(second);
  return out;
}

TEST_CASE("intervention_curve: by hand") {
  const InterventionProblem problem = first_concept();
  const InterventionCurve good = intervention_curve(problem, order_of(0, 1));
  CHECK(good.accuracy == std::vector<double>{0.5, 1.0, 1.0});
  CHECK(area_under(good.accuracy) == doctest::Approx(0.875));
  // Logits of -2 and 2 are right with 0.88, of -1.2 and 1.2 wrong with 0.77; told, all are right.
  const double sure = 1.0 / (1.0 + std::exp(-2.0)), unsure = 1.0 / (1.0 + std::exp(-1.2));
  CHECK(good.ece[0] == doctest::Approx(0.5 * (1.0 - sure) + 0.5 * unsure));
  CHECK(good.ece[1] == doctest::Approx(1.0 - sure));
  CHECK(good.brier[0] == doctest::Approx((1.0 - sure) * (1.0 - sure) + unsure * unsure));
  CHECK(good.brier[2] == doctest::Approx(2.0 * (1.0 - sure) * (1.0 - sure)));
  CHECK(intervention_curve(problem, order_of(1, 0)).accuracy == std::vector<double>{0.5, 0.5, 1.0});
  CHECK(s_int(0.9, good) == doctest::Approx(-0.1));
  CHECK(s_int(1.0, good) == 0.0);
  CHECK(intervention_gain(problem) == 0.5);
}

TEST_CASE("intervention_gain: a head that reads more from a score than its concept is misled") {
  // The second concept's score also holds the first concept, which the head reads there alone.
  InterventionProblem impure = first_concept();
  impure.scores.col(1) << 0.9, 0.1, 0.9, 0.1;
  impure.head = [](const MatrixRef& scores, const MatrixRef&) {
    Matrix logits = Matrix::Zero(scores.rows(), 2);
    logits.col(1) = (scores.col(1).array() - 0.5) * 4.0;
    return logits;
  };
  CHECK(intervention_gain(impure) == -0.5);
}

TEST_CASE("policies: the oracle and CooP find the concept that matters") {
  const InterventionProblem problem = first_concept();
  const Matrix p = Matrix::Constant(4, 2, 0.4);
  CHECK(coop_order(problem, p) == order_of(0, 1));
  CHECK(coop_order(problem, p, {.entropy_weight = 1.0, .importance_weight = 0.0}) ==
        order_of(0, 1));  // equally unsure: the first
  CHECK(intervention_curve(problem, greedy_oracle_order(problem)).accuracy[1] == 1.0);
  // Certain concepts have no entropy; an unsure one comes first.
  Matrix sure = p;
  sure.col(0).setOnes();
  CHECK(coop_order(problem, sure, {.entropy_weight = 1.0, .importance_weight = 0.0}) ==
        order_of(1, 0));
}

// The label is 1 where exactly one of the first two concepts is there; the third says nothing.
InterventionProblem two_of_three() {
  InterventionProblem out;
  out.truth = (Matrix(4, 3) << 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0).finished();
  out.scores = 1.0 - out.truth.array();  // the model has all of them wrong
  out.scores.col(1) = out.truth.col(1);  // but the second
  out.active = Vector::Ones(3);
  out.inactive = Vector::Zero(3);
  out.labels = {0, 1, 1, 0};
  out.head = [](const MatrixRef& scores, const MatrixRef&) {
    Matrix logits = Matrix::Zero(scores.rows(), 2);
    logits.col(1) = (scores.col(0) - scores.col(1)).array().abs() - 0.5;
    return logits;
  };
  return out;
}

TEST_CASE("intervention_curve: a step tells a whole group, by hand") {
  InterventionProblem problem = two_of_three();
  problem.groups = {4, 0, 4};  // numbered in any way: the second concept, then the others
  CHECK(CheckedIntervention(problem).groups() == ConceptGroups{{1}, {0, 2}});
  CHECK(intervention_curve(problem, order_of(0, 1)).accuracy == std::vector<double>{0, 0, 1});
  CHECK(intervention_curve(problem, order_of(1, 0)).accuracy == std::vector<double>{0, 1, 1});
  CHECK(greedy_oracle_order(problem) == order_of(1, 0));
  CHECK(intervention_gain(problem) == 1.0);
  // As unsure as the most unsure of them; CooP: as the mean.
  Matrix p(4, 3);
  p.rowwise() = Eigen::RowVector3d(1.0, 0.7, 0.5);
  CHECK(uncertainty_order(p, problem.groups) == order_of(1, 0));
  CHECK(coop_order(problem, p, {.entropy_weight = 1.0, .importance_weight = 0.0}) ==
        order_of(0, 1));  // 0.88 bits against (0 + 1) / 2
  CHECK(uncertainty_order(p, {0, 1, 2}) == uncertainty_order(p));

  problem.groups = {0, 1};
  CHECK_THROWS_SAYING(intervention_gain(problem), std::invalid_argument,
                      "groups has 2 entries for 3 concepts");
  problem.groups = {0, -1, 1};
  CHECK_THROWS_SAYING(intervention_gain(problem), std::invalid_argument,
                      "groups has -1 for concept 1; groups count from 0");
}

TEST_CASE("intervention metrics: groups of the dataset, each by itself as without any") {
  const InterventionProblem problem = two_of_three();
  ConceptView view;
  view.scores = view.probabilities = problem.scores;
  view.outputs = Matrix::Zero(4, 2);
  view.intervene = problem.head;
  Annotations known;
  known.labels = problem.labels;
  known.concepts = problem.truth;
  const auto results_of = [&](const IndexVector& groups) {
    known.concept_groups = groups;
    Views views;
    views.concepts = &view;
    views.annotations = &known;
    const Subject subject(views);
    std::map<std::string, Result> out;
    for (const Metric& metric : declare::intervention())
      out[metric.name] =
          metric.compute ? metric.compute(subject) : metric.compute_with(subject, metric.settings);
    return out;
  };
  auto single = results_of({}), alone = results_of({0, 1, 2}), paired = results_of({0, 1, 0});
  for (const auto& one : single) {
    const auto& name = one.first;
    const Result& result = one.second;
    CAPTURE(name);
    CHECK(alone[name].value == result.value);
    CHECK(alone[name].parts == result.parts);
    CHECK(result.caveat == "");
    if (name == "intervention_gain") continue;
    CHECK(alone[name].caveat == "concepts were told in 3 groups");
    CHECK(paired[name].caveat == "concepts were told in 2 groups");
    CHECK(paired[name].parts.size() == 3);
  }
  CHECK(paired["intervention_oracle"].value == 0.75);  // 0, 1, 1
  CHECK(single["intervention_oracle"].parts == std::vector<double>{0, 1, 1, 1});
}

TEST_CASE("uncertainty_order, expert_answers: by hand") {
  const Matrix p = (Matrix(2, 3) << 0.9, 0.4, 0.55, 0.5, 0.1, 0.9).finished();
  InterventionOrder wanted(2, 3);
  wanted << 2, 1, 0, 0, 1, 2;  // the first of ties
  CHECK(uncertainty_order(p) == wanted);
  const Matrix truth = (Matrix(2, 2) << 1, 0, 0.25, 1).finished();
  const Matrix draws = (Matrix(2, 2) << 0.2, 0.6, 0.6, 0.0).finished();
  const Matrix said = (Matrix(2, 2) << 1, 1, 0.75, 0).finished();
  CHECK(expert_answers(truth, (Vector(2) << 0.5, 0.0).finished(), draws) == said);
  CHECK_THROWS_SAYING(uncertainty_order(2.0 * p), std::invalid_argument, "outside 0 ... 1");
  CHECK_THROWS_SAYING(expert_answers(truth, Vector::Zero(3), draws), std::invalid_argument,
                      "competence has 3");
  CHECK_THROWS_SAYING(expert_answers(truth, Vector::Constant(2, 1.5), draws), std::invalid_argument,
                      "competence is 1.5");
}

TEST_CASE("random_order: permutations, from the seed alone, no concept favoured") {
  const InterventionOrder order = random_order(3000, 3, 5);
  CHECK(order == random_order(3000, 3, 5));
  CHECK(order != random_order(3000, 3, 6));
  CHECK((order.rowwise().sum().array() == 3).all());
  for (Index j = 0; j < 3; ++j)
    CHECK(std::abs((order.col(0).array() == j).count() - 1000) < 130);  // 5 sd
  CHECK_THROWS_SAYING(random_order(0, 3, 1), std::invalid_argument, "samples is 0");
}

TEST_CASE("intervention_values: by hand") {
  Matrix logits(21, 1);
  for (Index i = 0; i < 21; ++i) logits(i, 0) = static_cast<double>(20 - i);
  CHECK(intervention_values(logits).inactive(0) == 1.0);
  CHECK(intervention_values(logits).active(0) == 19.0);
  CHECK(intervention_values(Matrix::Constant(1, 1, 3.0)).active(0) == 3.0);
  CHECK(intervention_values((Matrix(2, 1) << 0, 1).finished()).active(0) == doctest::Approx(0.95));
  CHECK_THROWS_SAYING(intervention_values(Matrix(0, 2)), std::invalid_argument, "logits is 0 x 2");
}

TEST_CASE("best_table_accuracy: by hand, weighted and not") {
  const Matrix c = (Matrix(4, 1) << 0, 0, 0, 1).finished();
  const BestTable found = best_table_accuracy(c, {0, 0, 1, 1});
  CHECK(found.value == 0.75);
  CHECK(found.combinations == 2);
  CHECK(best_table_accuracy(c, {0, 0, 1, 1}, (Vector(4) << 1, 1, 6, 2).finished()).value == 0.8);
  CHECK_THROWS_SAYING(best_table_accuracy(c, {0}), std::invalid_argument, "labels 1");
  CHECK_THROWS_SAYING(best_table_accuracy(c, {0, 0, 1, 1}, Vector::Zero(4)), std::invalid_argument,
                      "all 0");
}

TEST_CASE("wrong_share_by_present: by hand") {
  const Matrix truth = (Matrix(4, 3) << 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1).finished();
  const std::vector<double> shares = wrong_share_by_present(truth, {0, 0, 0, 1}, {0, 1, 0, 1});
  REQUIRE(shares.size() == 4);
  CHECK(shares[0] == 0.0);
  CHECK(shares[1] == 0.5);
  CHECK(std::isnan(shares[2]));
  CHECK(shares[3] == 0.0);
  CHECK_THROWS_SAYING(wrong_share_by_present(truth, {0, 0, 0, 1}, {0}), std::invalid_argument,
                      "4 rows, labels 4 and predictions 1");
  CHECK_THROWS_SAYING(wrong_share_by_present(Matrix::Constant(1, 1, 0.5), {0}, {0}),
                      std::invalid_argument, "other than 0 and 1");
}

TEST_CASE("interventions: what they refuse") {
  InterventionProblem problem = first_concept();
  CHECK_THROWS_SAYING(intervention_curve(problem, order_of(0, 0)), std::invalid_argument,
                      "row 0 is no permutation");
  CHECK_THROWS_SAYING(intervention_curve(problem, InterventionOrder(3, 2)), std::invalid_argument,
                      "order is 3 x 2");
  CHECK_THROWS_SAYING(coop_order(problem, Matrix::Zero(4, 1)), std::invalid_argument,
                      "probabilities is 4 x 1");
  CHECK_THROWS_SAYING(coop_order(problem, Matrix::Constant(4, 2, 1.5)), std::invalid_argument,
                      "outside 0 ... 1");
  CHECK_THROWS_SAYING(coop_order(problem, Matrix::Zero(4, 2), {.entropy_weight = -1.0}),
                      std::invalid_argument, "entropy_weight = -1");
  CHECK_THROWS_SAYING(s_int(1.5, intervention_curve(problem, order_of(0, 1))),
                      std::invalid_argument, "reference_accuracy is 1.5");
  CHECK_THROWS_SAYING(s_int(1.0, InterventionCurve()), std::invalid_argument, "curve is empty");
  InterventionProblem other = problem;
  other.head = [](const MatrixRef& scores, const MatrixRef&) {
    return Matrix::Zero(scores.rows(), 1).eval();
  };
  CHECK_THROWS_SAYING(greedy_oracle_order(other), std::invalid_argument, "head has one output");
  other = problem;
  other.truth(0, 0) = 2.0;
  CHECK_THROWS_SAYING(greedy_oracle_order(other), std::invalid_argument, "truth holds 2");
  other = problem;
  other.labels[0] = 7;
  CHECK_THROWS_SAYING(greedy_oracle_order(other), std::invalid_argument, "label 7");
  other = problem;
  other.active.resize(1);
  CHECK_THROWS_SAYING(greedy_oracle_order(other), std::invalid_argument, "active 1");
  other = problem;
  other.head = [&problem, calls = 0](const MatrixRef& scores,
                                     const MatrixRef& told) mutable -> Matrix {
    const Matrix answer = problem.head(scores, told);
    return ++calls == 1 ? answer : Matrix(answer.leftCols(1));
  };
  CHECK_THROWS_SAYING(greedy_oracle_order(other), std::invalid_argument,
                      "head answers 4 x 1 for 4 samples, without interventions 4 x 2");
}

TEST_CASE(
    "intervention: vectors of two numbers, of which the head reads the sum, are the scalars "
    "again") {
  const InterventionProblem scalar = first_concept();
  InterventionProblem vectors = scalar;
  const auto split = [](const Matrix& values) {  // v -> (v - 3, 3)
    Matrix out(values.rows(), 2 * values.cols());
    for (Index i = 0; i < values.rows(); ++i)
      for (Index j = 0; j < values.cols(); ++j) {
        out(i, 2 * j) = values(i, j) - 3.0;
        out(i, 2 * j + 1) = 3.0;
      }
    return out;
  };
  vectors.width = 2;
  vectors.scores = split(scalar.scores);
  vectors.own_active = split(Matrix::Ones(4, 2));
  vectors.own_inactive = split(Matrix::Zero(4, 2));
  vectors.active.resize(0);
  vectors.inactive.resize(0);
  vectors.head = [&](const MatrixRef& scores, const MatrixRef& told) {
    Matrix sums(scores.rows(), 2);
    for (Index j = 0; j < 2; ++j) sums.col(j) = scores.col(2 * j) + scores.col(2 * j + 1);
    return scalar.head(sums, told);
  };
  const Matrix p = scalar.scores;
  CHECK(coop_order(vectors, p) == coop_order(scalar, p));
  CHECK(greedy_oracle_order(vectors) == greedy_oracle_order(scalar));
  const auto order = order_of(1, 0);
  CHECK(intervention_curve(vectors, order).predictions ==
        intervention_curve(scalar, order).predictions);

  // Each sample has vectors of its own: sample 2's concept 0 reads as absent even when told.
  vectors.own_active.row(2).head(2) << -3.0, 3.0;
  CHECK(intervention_curve(vectors, order_of(0, 1)).accuracy ==
        std::vector<double>{0.5, 0.75, 0.75});

  InterventionProblem both = vectors;
  both.active = Vector::Ones(2);
  CHECK_THROWS_SAYING(intervention_curve(both, order), std::invalid_argument, "active");
  both = vectors;
  both.own_inactive.resize(4, 2);
  both.own_inactive.setZero();
  CHECK_THROWS_SAYING(intervention_curve(both, order), std::invalid_argument,
                      "own_inactive 4 x 2; both must be 4 x 4");
  both = vectors;
  both.own_active.resize(0, 0);
  both.own_inactive.resize(0, 0);
  CHECK_THROWS_SAYING(intervention_curve(both, order), std::invalid_argument,
                      "or own_active and own_inactive");
}

TEST_CASE("table_accuracy: each combination's training label, by hand") {
  const Matrix train = (Matrix(6, 2) << 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1).finished();
  const IndexVector labels = {2, 2, 0, 1, 1, 1};  // label 1 is the most frequent
  const Matrix judged = (Matrix(4, 2) << 0, 0, 1, 0, 1, 1, 1, 1).finished();
  CHECK(table_accuracy(train, labels, judged, {2, 1, 1, 0}) == 0.75);
  CHECK(table_accuracy(train, labels, judged, {0, 0, 0, 0}) == 0.0);
  // Of equally frequent labels the lowest.
  CHECK(table_accuracy(train.topRows(2), {5, 3}, judged.topRows(1), {3}) == 1.0);
  CHECK_THROWS_SAYING(table_accuracy(train, {0}, judged, {2, 1, 1, 0}), std::invalid_argument,
                      "train_concepts is 6 x 2 with 1 labels");
  CHECK_THROWS_SAYING(table_accuracy(train, labels, judged.leftCols(1), {2, 1, 1, 0}),
                      std::invalid_argument, "concepts is 4 x 1 with 4 labels");
}

}  // namespace

TEST_CASE("intervention: a head is told which concepts of which sample were told") {
  InterventionProblem problem = first_concept();
  std::vector<Matrix> masks;
  problem.head = [&masks, head = problem.head](const MatrixRef& scores, const MatrixRef& told) {
    masks.push_back(told);
    return head(scores, told);
  };
  InterventionOrder order(4, 2);
  order << 0, 1, 1, 0, 0, 1, 1, 0;
  intervention_curve(problem, order);
  Matrix once(4, 2);
  once << 1, 0, 0, 1, 1, 0, 0, 1;
  REQUIRE(masks.size() == 3);
  CHECK(masks[0] == Matrix::Zero(4, 2));
  CHECK(masks[1] == once);
  CHECK(masks[2] == Matrix::Ones(4, 2));
}

}  // namespace conoscope::tests
