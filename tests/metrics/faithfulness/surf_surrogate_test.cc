// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_surrogate.h"

#include <doctest/doctest.h>

#include <cmath>

#include "metrics/faithfulness/model_logits.h"
#include "tests/support/heads.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

// Eq. 10 in loops, positions averaged (mean) or summed (flatten).
Matrix surrogate_by_definition(const HeadView& head, const Explanation& explanation, bool pooled) {
  Matrix out(head.samples(), head.outputs());
  for (Index i = 0; i < head.samples(); ++i)
    for (Index c = 0; c < head.outputs(); ++c) {
      Matrix rows = head.activations.all().middleRows(i * head.positions, head.positions);
      const bool mean = head.pooling != Pooling::kFlatten;
      if (pooled && mean) rows = rows.colwise().mean().eval();
      double sum = 0.0;
      for (Index j = 0; j < rows.rows(); ++j)
        for (Index k = explanation.offset[static_cast<size_t>(c)];
             k < explanation.offset[static_cast<size_t>(c) + 1]; ++k) {
          const double score = rows.row(j).dot(explanation.cavs.row(k));
          sum += explanation.importance(k) * (explanation.linear() ? score : std::max(0.0, score));
        }
      if (mean) sum /= static_cast<double>(rows.rows());
      out(i, c) = sum + head.bias(c);
    }
  return out;
}

double distance(const Matrix& a, const Matrix& b) { return (a - b).cwiseAbs().maxCoeff(); }

// Sums of some ten products of size 1 to 10.
constexpr double kRounding = 1e-12;

TEST_CASE("surf_surrogate: the definition, for each pooling, position rule and kind of psi") {
  for (const Pooling pooling : {Pooling::kNone, Pooling::kMean, Pooling::kFlatten}) {
    const HeadView head = random_head(7, pooling == Pooling::kNone ? 1 : 6, 5, 4, pooling);
    const Explanation linear = normal_explanation(4, 3, 5), curved = rectified(linear);
    for (const Explanation& explanation : {linear, curved}) {
      CHECK(distance(surf_surrogate({head, explanation}),
                     surrogate_by_definition(head, explanation, true)) < kRounding);
      CHECK(distance(surf_surrogate({head, explanation}, PositionRule::kSpatialMean),
                     surrogate_by_definition(head, explanation, false)) < kRounding);
    }
  }
}

TEST_CASE("surf_surrogate: below average pooling the rules agree for a linear psi only") {
  const HeadView head = random_head(7, 6, 5, 4, Pooling::kMean);
  const Explanation linear = normal_explanation(4, 3, 5), curved = rectified(linear);
  const auto rules_differ = [&](const Explanation& explanation) {
    return distance(surf_surrogate({head, explanation}),
                    surf_surrogate({head, explanation}, PositionRule::kSpatialMean));
  };
  CHECK(rules_differ(linear) < kRounding);
  CHECK(rules_differ(curved) > 0.1);
}

TEST_CASE("surf_surrogate: a perfect explanation is the model") {
  const HeadView head = random_head(20, 4, 8, 5, Pooling::kMean);
  CHECK(distance(surf_surrogate({head, perfect_explanation(head)}), model_logits(head)) <
        kRounding);
}

TEST_CASE("surf_surrogate: a class-agnostic psi is called once and weighed per output") {
  const HeadView head = random_head(6, 3, 5, 4, Pooling::kMean);
  Explanation agnostic;
  agnostic.class_agnostic = true;
  agnostic.cavs = normal_matrix(7, 5, 3);
  agnostic.importance_by_output = normal_matrix(4, 7, 4);
  const Matrix linear = surf_surrogate({head, agnostic});
  int calls = 0;
  agnostic.project = [&](Index, const MatrixRef& rows) -> Matrix {
    ++calls;
    return rows * agnostic.cavs.transpose();
  };
  CHECK(distance(surf_surrogate({head, agnostic}), linear) < kRounding);
  CHECK(calls == 1);
}

TEST_CASE("surf_surrogate: outputs without concepts answer their bias") {
  const HeadView head = random_head(6, 1, 5, 3, Pooling::kNone);
  Explanation explanation = normal_explanation(1, 2, 5);
  explanation.offset = {0, 0, 2, 2};
  for (const Explanation& one : {explanation, rectified(explanation)}) {
    const Matrix s = surf_surrogate({head, one});
    CHECK((s.col(0).array() == head.bias(0)).all());
    CHECK((s.col(2).array() == head.bias(2)).all());
    CHECK((s.col(1).array() != head.bias(1)).any());
  }
  explanation = Explanation();
  explanation.offset = {0, 0, 0, 0};
  CHECK(surf_surrogate({head, explanation}) == head.bias.transpose().replicate(6, 1));
}

TEST_CASE("surf_surrogate: folding changes nothing but rounding") {
  const HeadView head = random_head(30, 1, 12, 4, Pooling::kNone);
  const Explanation explanation = normal_explanation(4, 5, 12);
  Explanation called = explanation;  // not known to be linear, so its scores are weighed one by one
  called.project = [&](Index c, const MatrixRef& rows) -> Matrix {
    return rows * explanation.cavs.middleRows(5 * c, 5).transpose();
  };
  CHECK(distance(surf_surrogate({head, explanation}), surf_surrogate({head, called})) < kRounding);
}

TEST_CASE("surf_surrogate: by hand, with an output that has no concept") {
  const Matrix rows{{1.0, 2.0, 3.0}, {0.0, -1.0, 4.0}};
  Explanation explanation;
  explanation.cavs = Matrix::Identity(3, 3);
  explanation.importance = Vector{{2.0, -1.0, 0.5}};
  explanation.offset = {0, 2, 2, 3};
  HeadView head;
  head.activations = rows;
  head.weight = Matrix::Zero(3, 3);
  head.bias = Vector{{10.0, 20.0, 30.0}};
  CHECK(surf_surrogate({head, explanation}) == Matrix{{10.0, 20.0, 31.5}, {11.0, 20.0, 32.0}});
}

TEST_CASE("surf_surrogate: throws") {
  const HeadView head = random_head(6, 2, 5, 3, Pooling::kMean);
  const Explanation linear = normal_explanation(3, 2, 5);
  const auto check = [](const HeadView& h, const Explanation& e, const std::string& text) {
    CHECK_THROWS_SAYING(surf_surrogate({h, e}), std::invalid_argument, text);
  };
  HeadView unpooled = head;
  unpooled.pooling = Pooling::kNone;
  check(unpooled, linear, "pooling is none");
  check(head, normal_explanation(4, 2, 5), "4 outputs, the head 3");
  check(head, normal_explanation(3, 2, 6), "CAVs have 6 features, the activations 5");
  Explanation bad = linear;
  bad.importance(1) = std::nan("");
  check(head, bad, "explanation: importance is nan");
  HeadView nan_bias = head;
  nan_bias.bias(2) = std::nan("");
  check(nan_bias, linear, "bias is nan at entry 2");

  for (const Explanation& explanation : {linear, rectified(linear)}) {
    HeadView nan_row = head;
    change_activations(nan_row, [](Matrix& rows) { rows(7, 3) = std::nan(""); });
    CHECK_THROWS_SAYING(surf_surrogate({nan_row, explanation}), std::invalid_argument,
                        "activations is nan", "row 7", "column 3");
  }
  Explanation wrong_shape = linear, not_finite = linear, huge = linear;
  wrong_shape.project = [](Index, const MatrixRef& rows) -> Matrix {
    return Matrix::Zero(rows.rows(), 3);
  };
  check(head, wrong_shape, "psi of output 0 returned 6 x 3; expected 6 x 2");
  not_finite.project = [](Index c, const MatrixRef& rows) -> Matrix {
    return Matrix::Constant(rows.rows(), 2, c == 1 ? std::nan("") : 0.0);
  };
  check(head, not_finite, "psi of output 1 is nan at row 0, column 0");
  huge.cavs *= 1e200;
  huge.importance *= 1e200;
  CHECK_THROWS_SAYING(surf_surrogate({head, huge}), std::domain_error, "overflows");
}

}  // namespace

}  // namespace conoscope::tests
