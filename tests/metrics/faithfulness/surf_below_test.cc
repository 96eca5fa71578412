// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>

#include "metrics/faithfulness/model_logits.h"
#include "metrics/faithfulness/surf/surf_surrogate.h"
#include "metrics/faithfulness/surf/surf_through_surrogate.h"
#include "tests/support/heads.h"
#include "tests/support/score_group.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

// Sums of some ten products of size 1 to 10.
constexpr double kRounding = 1e-12;

double distance(const Matrix& a, const Matrix& b) { return (a - b).cwiseAbs().maxCoeff(); }

/// Nothing but the head above: the layer is the last one.
HeadCalls linear_above(const HeadView& head) {
  const auto with = [head](const MatrixRef& activations) {
    HeadView other = head;
    other.activations = Matrix(activations);
    return other;
  };
  const auto vjp = [head](const MatrixRef& activations, const MatrixRef& u) -> Matrix {
    Matrix out(activations.rows(), activations.cols());
    for (Index i = 0; i < out.rows(); ++i) {
      const Index sample = i / head.positions, position = i % head.positions;
      for (Index d = 0; d < out.cols(); ++d)
        out(i, d) =
            head.pooling == Pooling::kFlatten
                ? u.row(sample).dot(head.weight.col(position * out.cols() + d))
                : u.row(sample).dot(head.weight.col(d)) / static_cast<double>(head.positions);
    }
    return out;
  };
  return {.outputs = [with](const MatrixRef& x) { return head_reading(with(x)); }, .vjp = vjp};
}

/// tanh(mean over positions of tanh(h) A) B above the layer, and its mean reading as the head.
struct Curved {
  HeadView head;
  HeadCalls above;

  explicit Curved(Index samples, std::uint64_t seed = 1)
      : head(random_head(samples, 3, 5, 4, Pooling::kMean, seed)) {
    const Matrix a = normal_matrix(5, 6, seed + 7), b = 2.0 * normal_matrix(6, 4, seed + 8);
    const auto inner = [a](const MatrixRef& x) -> Matrix {
      const Matrix t = x.array().tanh().matrix() * a;
      Matrix pooled(x.rows() / 3, t.cols());
      for (Index i = 0; i < pooled.rows(); ++i)
        pooled.row(i) = t.middleRows(3 * i, 3).colwise().mean();
      return pooled.array().tanh();
    };
    above.outputs = [=](const MatrixRef& x) -> Matrix { return inner(x) * b; };
    above.vjp = [=](const MatrixRef& x, const MatrixRef& u) -> Matrix {
      const Matrix z = inner(x);
      const Matrix back =
          ((u * b.transpose()).array() * (1.0 - z.array().square())).matrix() * a.transpose() / 3.0;
      Matrix out(x.rows(), x.cols());
      for (Index i = 0; i < x.rows(); ++i)
        out.row(i) = back.row(i / 3).array() * (1.0 - x.row(i).array().tanh().square());
      return out;
    };
    const Matrix rows = head.activations.all();
    head.logits = above.outputs(rows);
    for (Index c = 0; c < 4; ++c) {
      Matrix unit = Matrix::Zero(samples, 4);
      unit.col(c).setOnes();
      head.weight.row(c) = above.vjp(rows, unit).colwise().sum() / static_cast<double>(samples);
    }
    HeadView linear = head;
    linear.bias.setZero();
    head.bias = (head.logits - head_reading(linear)).colwise().mean().transpose();
  }

  Matrix through(const Explanation& e) const {
    const ExplainedHead of(head, e);
    return surf_through_surrogate(SurfClaim(of), above);
  }
  Matrix local(const Explanation& e) const {
    const ExplainedHead of(head, e);
    return surf_local_surrogate(SurfClaim(of), above);
  }
};

using Scores = std::map<std::string, Score>;

Scores scores_of(const Curved& curved, const Explanation& e, Output output, const char* group) {
  HeadView head = curved.head;
  head.output = output;
  Views views{.head = &head, .explanation = &e, .above = &curved.above};
  return score_group(views, group);
}

}  // namespace

TEST_CASE("surf_below: at the last layer both are surf_surrogate") {
  for (const Pooling pooling : {Pooling::kNone, Pooling::kMean, Pooling::kFlatten}) {
    const HeadView head = random_head(9, pooling == Pooling::kNone ? 1 : 6, 5, 4, pooling);
    const HeadCalls above = linear_above(head);
    const Explanation linear = normal_explanation(4, 3, 5);
    Explanation agnostic;
    agnostic.class_agnostic = true;
    agnostic.cavs = normal_matrix(7, 5, 3);
    agnostic.importance_by_output = normal_matrix(4, 7, 4);
    for (const Explanation& explanation : {linear, rectified(linear), agnostic}) {
      const ExplainedHead of(head, explanation);
      const SurfClaim claim(of);
      const Matrix surf = surf_surrogate(of);
      CHECK(distance(surf, model_logits(head)) > 0.5);
      CHECK(distance(surf_through_surrogate(claim, above), surf) < kRounding);
      CHECK(distance(surf_local_surrogate(claim, above), surf) < kRounding);
    }
  }
}

TEST_CASE("surf_below: by hand") {
  // g(h) = h1^2 + h2 at (1, 2): y = 3, gradient (2, 1), which is the reading with b = -1. An
  // explanation of 3 h1 reads 3 - 1 = 2, 1 less; u = (2, 1) / 5, so that H' = (0.6, 1.8).
  HeadView head;
  head.activations = Matrix{{1.0, 2.0}};
  head.weight = Matrix{{2.0, 1.0}};
  head.bias = Vector::Constant(1, -1.0);
  head.output = Output::kRegression;
  head.logits = Matrix{{3.0}};
  const HeadCalls above{
      .outputs = [](const MatrixRef& h) -> Matrix { return h.col(0).cwiseAbs2() + h.col(1); },
      .vjp = [](const MatrixRef& h, const MatrixRef& u) -> Matrix {
        Matrix out(h.rows(), 2);
        out << 2.0 * h.col(0).cwiseProduct(u.col(0)), u.col(0);
        return out;
      }};
  Explanation explanation;
  explanation.cavs = Matrix{{1.0, 0.0}};
  explanation.importance = Vector::Constant(1, 3.0);
  explanation.offset = {0, 1};
  const ExplainedHead of(head, explanation);
  const SurfClaim claim(of);
  CHECK(claim.excess()(0, 0) == doctest::Approx(-1.0));
  CHECK(distance(claim.moved(0, 0, head.activations.all()), Matrix{{0.6, 1.8}}) < kRounding);
  CHECK(surf_through_surrogate(claim, above)(0, 0) == doctest::Approx(2.16));
  CHECK(surf_local_surrogate(claim, above)(0, 0) == doctest::Approx(2.0));
}

TEST_CASE("surf_below: an explanation that says what the head reads is the model") {
  const Curved curved(20);
  const Explanation perfect = perfect_explanation(curved.head);
  CHECK(distance(curved.through(perfect), curved.head.logits) < kRounding);
  CHECK(distance(curved.local(perfect), curved.head.logits) < kRounding);
  // Though that reading is not the model.
  CHECK(distance(head_reading(curved.head), curved.head.logits) > 0.5);
}

TEST_CASE("surf_below: the local surrogate is the first order of the exact one") {
  const Curved curved(20);
  const Explanation perfect = perfect_explanation(curved.head);
  const auto apart = [&](double step) {
    Explanation near = perfect;
    near.importance *= 1.0 + step;
    return distance(curved.through(near), curved.local(near));
  };
  const double far = apart(0.1), near = apart(0.01);
  CHECK(far > 1e-6);
  CHECK(near < far / 50.0);  // a hundredth, but for the third order
}

TEST_CASE("surf_below: what changes nothing, and what scales") {
  const Curved curved(20);
  const Explanation whole = normal_explanation(4, 3, 5);
  Explanation split = whole;  // each concept twice, with half of its importance
  split.offset = {0, 6, 12, 18, 24};
  split.cavs.resize(24, 5);
  split.importance.resize(24);
  for (Index k = 0; k < 12; ++k) {
    split.cavs.row(2 * k) = split.cavs.row(2 * k + 1) = whole.cavs.row(k);
    split.importance(2 * k) = split.importance(2 * k + 1) = 0.5 * whole.importance(k);
  }
  CHECK(distance(curved.through(whole), curved.through(split)) < kRounding);
  CHECK(distance(curved.local(whole), curved.local(split)) < kRounding);

  Curved turned = curved;  // samples in another order
  turned.head.logits = reversed_rows(curved.head.logits);
  change_activations(turned.head, [](Matrix& rows) {
    const Matrix before = rows;
    for (Index i = 0; i < 20; ++i) rows.middleRows(3 * i, 3) = before.middleRows(3 * (19 - i), 3);
  });
  CHECK(distance(turned.through(whole), reversed_rows(curved.through(whole))) < kRounding);
  CHECK(distance(turned.local(whole), reversed_rows(curved.local(whole))) < kRounding);
}

TEST_CASE("surf_below: the ladder") {
  for (const Output output : {Output::kSoftmax, Output::kSigmoid, Output::kRegression}) {
    int ranked = 0;
    std::map<std::string, double> perfect, half, random;
    constexpr int kDraws = 10;
    for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
      const Curved curved(60, 20 * draw + 1);
      const auto add = [&](std::map<std::string, double>& to, const Explanation& e) {
        for (const auto& [name, score] : scores_of(curved, e, output, "surf_below"))
          if (score.reason.empty()) to[name] += score.value / kDraws;
      };
      add(perfect, perfect_explanation(curved.head));
      add(half, half_random_explanation(curved.head, sdk::Seed(draw)));
      add(random, random_explanation(curved.head, sdk::Seed(draw)));
    }
    for (const auto& [key, value] : perfect) {
      const std::string& name = key;  // clang 14 captures no structured binding
      CAPTURE(name);
      const Metric* const info = catalogue().metric(name);
      const double sign = info->direction == Direction::kLower ? 1.0 : -1.0;
      CHECK(sign * value < sign * half.at(name));
      CHECK(sign * half.at(name) < sign * random.at(name));
      const double best = info->direction == Direction::kLower ? info->low : info->high;
      CHECK(value == doctest::Approx(best).epsilon(1e-12));
      ++ranked;
    }
    CHECK(ranked == (output == Output::kSoftmax ? 8 : output == Output::kSigmoid ? 6 : 2));
  }
}

TEST_CASE("surf_below: where there is no number") {
  const Curved curved(20);
  const Explanation e = normal_explanation(4, 3, 5);
  const auto message = [&](const Curved& of, const char* metric) {
    const Score score = scores_of(of, e, Output::kSoftmax, metric).at(metric);
    CHECK(score.reason == "not_applicable");
    return score.message;
  };
  Curved last = curved;
  last.head.logits = {};
  CHECK(message(last, "surf_through_emd") ==
        "the layer is the last one, where this is what surf_* says");
  CHECK(message(last, "surf_local_emd") ==
        "the layer is the last one, where this is what surf_* says");
  Curved flat = curved;
  flat.above.vjp = nullptr;
  CHECK(message(flat, "surf_local_mae") == "the model gives no derivatives (vjp)");
  CHECK(message(curved, "surf_through_attr_acc") == "the outputs are not sigmoids of attributes");

  // What reads altered activations with the head alone says nothing below the last layer.
  for (const char* group : {"ice_eval", "sae_downstream", "plausibility"})
    for (const auto& [key, score] : scores_of(curved, e, Output::kSoftmax, group)) {
      const std::string& name = key;
      CAPTURE(name);
      if (name != "sae_reconstruction_error") CHECK(score.reason == "not_applicable");
    }
  // And surf compares with what the network answers.
  const Score mae = scores_of(curved, e, Output::kSoftmax, "surf_mae").at("surf_mae");
  const ExplainedHead of(curved.head, e);
  CHECK(mae.value == doctest::Approx((surf_surrogate(of) - curved.head.logits).cwiseAbs().mean()));
}

TEST_CASE("surf_below: throws") {
  const Curved curved(20);
  const Explanation e = normal_explanation(4, 3, 5);
  Curved dead = curved;
  dead.head.weight.row(2).setZero();
  CHECK_THROWS_SAYING(dead.through(e), std::domain_error, "output 2", "weights are 0");
  CHECK_THROWS_SAYING(dead.local(e), std::domain_error, "output 2", "weights are 0");
  CHECK_NOTHROW(dead.through(perfect_explanation(dead.head)));  // nothing is to be moved

  Curved wrong = curved;
  wrong.above.outputs = [](const MatrixRef& x) -> Matrix { return Matrix::Zero(x.rows() / 3, 3); };
  wrong.above.vjp = [](const MatrixRef& x, const MatrixRef&) -> Matrix {
    return Matrix::Constant(x.rows(), 5, NAN);
  };
  CHECK_THROWS_SAYING(wrong.through(e), std::invalid_argument, "20 x 3, expected 20 x 4");
  CHECK_THROWS_SAYING(wrong.local(e), std::invalid_argument, "vjp", "nan");

  Curved other = curved;
  other.head.logits = Matrix::Zero(19, 4);
  CHECK_THROWS_SAYING(other.through(e), std::invalid_argument, "head.logits is 19 x 4",
                      "expected 20 x 4");
}

}  // namespace conoscope::tests
