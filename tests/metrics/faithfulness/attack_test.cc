// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/LU>
#include <cmath>
#include <stdexcept>

#include "metrics/faithfulness/attack/attack_concept.h"
#include "metrics/faithfulness/attack/attack_importance.h"
#include "metrics/faithfulness/model_logits.h"
#include "tests/support/heads.h"
#include "tests/support/score_group.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

/// Activations of either sign, so that every coordinate is free to move.
HeadView free_head(Index samples, Index width, Index outputs) {
  HeadView head = random_head(samples, 1, width, outputs, Pooling::kNone);
  head.activations = normal_matrix(samples, width, 21);
  return head;
}

/// The same psi, not known to be linear.
Explanation called(const Explanation& linear) {
  Explanation out = linear;
  out.project = [linear](Index c, const MatrixRef& rows) -> Matrix {
    return rows * linear.cavs.middleRows(linear.first_row(c), linear.concepts(c)).transpose();
  };
  return out;
}

Score score_of(const HeadView& head, const Explanation& explanation, const char* metric) {
  Views views{.head = &head, .explanation = &explanation};
  return score_group(views, metric).at(metric);
}

}  // namespace

TEST_CASE("silent moves: no logit changes, no activation leaves its range, the length is right") {
  const HeadView head = random_head(12, 4, 16, 5, Pooling::kMean);
  const Explanation e = perfect_explanation(head);
  const ExplainedHead of(head, e);
  const SilentMoves moves(of.pooled(), of.head().weight, 0.05);
  CHECK(moves.epsilon() == doctest::Approx(0.05 * of.pooled().rowwise().norm().mean()));
  for (Index i = 0; i < 12; ++i) {
    const SilentMoves::Space space(moves, i);
    REQUIRE_FALSE(space.empty());
    Matrix d = space.project(normal_matrix(3, 16, 5 + static_cast<std::uint64_t>(i)));
    d.rowwise().normalize();
    d *= moves.epsilon();
    CHECK((d * head.weight.transpose()).cwiseAbs().maxCoeff() < 1e-12);
    CHECK((d.rowwise() + of.pooled().row(i)).minCoeff() >= 0.0);
    CHECK(space.project(head.weight).cwiseAbs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("attack_concept: by hand") {
  // W = (1, 0, 0) and (0, 1, 0): only the third coordinate is silent. Of the concept (0.6, 0, 0.8) of
  // importance 2, a move of 0.05 sqrt(14) changes 2 * 0.8 of that.
  HeadView head;
  head.activations = Matrix{{3.0, -1.0, 2.0}};
  head.weight = Matrix{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
  head.bias = Vector::Zero(2);
  Explanation e;
  e.cavs = Matrix{{0.6, 0.0, 0.8}, {0.0, 1.0, 0.0}};
  e.importance = Vector{{2.0, 1.0}};
  e.offset = {0, 1, 2};
  AttackOptions options;
  options.noise = 20000;
  // Of a random direction in three dimensions |cos| has the mean 1/2: noise changes 2 * 1/2 of it.
  const Result found = attack_concept(ExplainedHead(head, e), 1, options);
  CHECK(found.value == doctest::Approx(1.6).epsilon(0.02));
  CHECK(found.parts.size() == 1);
}

TEST_CASE("attack_concept: the largest change of a linear explanation in closed form") {
  const HeadView head = free_head(8, 12, 4);
  const Explanation e = normal_explanation(4, 1, 12);
  const ExplainedHead of(head, e);
  AttackOptions options;
  options.steps = 800;
  const Result exact = attack_concept(of, 1, options);
  const Explanation by_call = called(e);
  const Result searched = attack_concept(ExplainedHead(head, by_call), 1, options);
  // K = 1: epsilon |alpha| |v projected on the null space of W|, worked out by a dense inverse.
  const Matrix w = head.weight, logits = model_logits(head);
  const Matrix silent =
      Matrix::Identity(12, 12) - w.transpose() * (w * w.transpose()).inverse() * w;
  double first = 0.0;
  for (Index i = 0; i < 8; ++i) {
    Index c = 0;
    logits.row(i).maxCoeff(&c);
    const double largest = std::abs(e.importance(c)) * (silent * e.cavs.row(c).transpose()).norm();
    if (i == 0) first = exact.parts[0] / largest;
    CHECK(exact.parts[static_cast<size_t>(i)] / largest == doctest::Approx(first).epsilon(1e-9));
    const double share =
        searched.parts[static_cast<size_t>(i)] / exact.parts[static_cast<size_t>(i)];
    CHECK(share <= 1.0 + 1e-12);
    CHECK(share > 0.95);
  }
}

TEST_CASE("attacks: nothing can be done to the perfect explanation, and something to others") {
  const HeadView head = random_head(60, 4, 32, 5, Pooling::kMean);
  const Explanation perfect = perfect_explanation(head);
  const Score none = score_of(head, perfect, "attack_concept");
  CHECK(none.reason.empty());
  CHECK(none.value < 1e-12);  // far below noise, which is 1
  double random = 0.0;
  for (std::uint64_t draw = 0; draw < 10; ++draw) {
    const Explanation e = random_explanation(head, sdk::Seed(draw));
    random += score_of(head, e, "attack_concept").value / 10;
  }
  CHECK(random > 2.0);
  CHECK(score_of(head, normal_explanation(5, 4, 32), "attack_concept").value > 1.2);
  CHECK(score_of(head, normal_explanation(5, 4, 32), "attack_importance").value > 0.02);
  const Explanation by_call = rectified(normal_explanation(5, 4, 32));
  CHECK(score_of(head, by_call, "attack_concept").value > 0.5);
}

TEST_CASE("attacks: scale and the order of concepts change nothing") {
  const HeadView head = random_head(20, 1, 16, 4, Pooling::kNone);
  const Explanation e = normal_explanation(4, 3, 16);
  Explanation other = e;
  other.importance *= 5.0;
  for (Index c = 0; c < 4; ++c) {
    other.cavs.row(3 * c).swap(other.cavs.row(3 * c + 2));
    std::swap(other.importance(3 * c), other.importance(3 * c + 2));
  }
  for (const char* metric : {"attack_concept", "attack_importance"})
    CHECK(score_of(head, e, metric).value ==
          doctest::Approx(score_of(head, other, metric).value).epsilon(1e-9));
}

TEST_CASE("attacks: where there is no number") {
  const HeadView head = random_head(20, 2, 16, 4, Pooling::kMean);
  const Explanation perfect = perfect_explanation(head), e = normal_explanation(4, 3, 16);
  CHECK(score_of(head, perfect, "attack_importance").message ==
        "no predicted class has at least 2 concepts");
  HeadView other = head;
  other.output = Output::kSigmoid;
  CHECK(score_of(other, e, "attack_concept").reason == "not_applicable");
  other = head;
  other.logits = Matrix::Zero(20, 4);
  CHECK(score_of(other, e, "attack_concept").reason == "not_applicable");
  // As many outputs as features: whatever moves is noticed.
  const HeadView full = free_head(10, 4, 4);
  const Score stuck = score_of(full, normal_explanation(4, 2, 4), "attack_concept");
  CHECK(stuck.value == 0.0);
  CHECK(stuck.message == "10 of 10 samples have no move that the model does not notice");
  other = head;
  other.activations = Matrix::Zero(40, 16);
  CHECK(score_of(other, e, "attack_concept").message == "every activation is 0");
  Explanation mute = e;
  mute.importance.setZero();
  CHECK(score_of(head, mute, "attack_concept").message == "noise changes no contribution");
  AttackOptions options;
  options.share = 0.0;
  CHECK_THROWS_SAYING(attack_concept(ExplainedHead(head, e), 1, options), std::invalid_argument,
                      "the share is not above 0");
}

}  // namespace conoscope::tests
