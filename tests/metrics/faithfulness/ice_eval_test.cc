// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "metrics/faithfulness/model_logits.h"
#include "metrics/faithfulness/surf/surf_surrogate.h"
#include "metrics/faithfulness/surrogates/ice_eval_surrogate.h"
#include "metrics/faithfulness/surrogates/ice_fidelity_error.h"
#include "tests/support/heads.h"
#include "tests/support/score_group.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

// Two classes along the axes, both with weight 2; each has its own axis as its only CAV.
HeadView axes_head() {
  HeadView head;
  head.activations = (Matrix(2, 2) << 3, 1, 1, 4).finished();
  head.weight = (Matrix(2, 2) << 2, 1, 0, 2).finished();
  head.bias = (Vector(2) << 0, 1).finished();
  return head;
}

Explanation axes_explanation() {
  Explanation explanation;
  explanation.cavs = Matrix::Identity(2, 2);
  explanation.importance = Vector::Constant(2, 7.0);
  explanation.offset = {0, 1, 2};
  return explanation;
}

TEST_CASE("ice_eval: by hand") {
  // y = (7, 3), (6, 9). Class 0 keeps h_0: 2 h_0 = 6, 2; class 1 keeps h_1: 2 h_1 + 1 = 3, 9.
  const Matrix surrogate = ice_eval_surrogate({axes_head(), axes_explanation()});
  CHECK(surrogate == (Matrix(2, 2) << 6, 3, 2, 9).finished());

  const HeadView head = axes_head();
  const Explanation explanation = axes_explanation();
  Annotations annotations;
  annotations.labels = {0, 0};
  Views subject{.head = &head, .explanation = &explanation, .annotations = &annotations};
  auto scores = score_group(subject, "ice_eval");
  CHECK(scores["ice_eval_mae"].value == doctest::Approx((1.0 + 4.0) / 4.0));
  CHECK(scores["ice_eval_top1"].value == 1.0);
  CHECK(scores["ice_eval_norm_l1"].value == doctest::Approx((1.0 / 7.0 + 4.0 / 6.0) / 2.0));
  CHECK(scores["ice_eval_fidelity_error"].value == doctest::Approx(2.5 / (6.5 + 1e-4)));
  CHECK(scores["ice_eval_params"].value == 0.0);
  CHECK(scores["ice_eval_flops"].value == 2.0 * 2.0 * 3.0);
}

TEST_CASE("ice_eval: with alpha = <w_c, v_k> it is SURF's surrogate") {
  for (const Pooling pooling : {Pooling::kMean, Pooling::kFlatten}) {
    const HeadView head = random_head(30, 4, 6, 3, pooling);
    Explanation explanation = normal_explanation(3, 2, 6);
    if (pooling == Pooling::kMean) {
      for (Index k = 0; k < 6; ++k)
        explanation.importance(k) = explanation.cavs.row(k).dot(head.weight.row(k / 2));
      CHECK(surf_surrogate({head, explanation}).isApprox(ice_eval_surrogate({head, explanation})));
    }
    // The folded product and the two calls say the same.
    Explanation called = explanation;
    called.project = [&](Index c, const MatrixRef& rows) -> Matrix {
      return rows * explanation.cavs.middleRows(2 * c, 2).transpose();
    };
    CHECK(ice_eval_surrogate({head, called}).isApprox(ice_eval_surrogate({head, explanation})));
  }
}

TEST_CASE("ice_eval: a reconstruction of the explanation's own wins over its CAVs") {
  HeadView head = axes_head();
  Explanation explanation = axes_explanation();
  explanation.reconstruct = [](Index, const MatrixRef& scores) -> Matrix {
    return Matrix::Zero(scores.rows(), 2);
  };
  CHECK(ice_eval_surrogate({head, explanation}) == (Matrix(2, 2) << 0, 1, 0, 1).finished());
}

TEST_CASE("ice_eval: class-agnostic concepts rebuild once for all") {
  const HeadView head = random_head(20, 1, 5, 3, Pooling::kNone);
  Explanation explanation;
  explanation.class_agnostic = true;
  explanation.cavs = Matrix::Identity(5, 5);
  explanation.importance_by_output = Matrix::Zero(3, 5);
  int calls = 0;
  explanation.project = [&](Index, const MatrixRef& rows) -> Matrix {
    ++calls;
    return rows;
  };
  CHECK(ice_eval_surrogate({head, explanation}).isApprox(model_logits(head)));
  CHECK(calls == 1);
}

TEST_CASE("ice_eval: an output without a concept answers its bias") {
  HeadView head = axes_head();
  Explanation explanation = axes_explanation();
  explanation.offset = {0, 0, 2};
  CHECK(ice_eval_surrogate({head, explanation}).col(0).isZero());
}

TEST_CASE("ice_eval: positions rebuilt and averaged, by hand") {
  HeadView head = axes_head();
  head.activations = (Matrix(4, 2) << 3, -1, -1, 5, 2, 2, 0, 0).finished();
  head.positions = 2;
  head.pooling = Pooling::kMean;
  const Explanation explanation = rectified(axes_explanation());
  // Means (1, 2) and (1, 1); of what is above 0 (1.5, 2.5) and (1, 1). Class 0: 2 h_0, class 1: 2 h_1 + 1.
  const ExplainedHead of{head, explanation};
  CHECK(ice_eval_surrogate(of) == (Matrix(2, 2) << 2, 5, 2, 3).finished());
  CHECK(ice_eval_surrogate(of, PositionRule::kSpatialMean) ==
        (Matrix(2, 2) << 3, 6, 2, 3).finished());

  // The model: 2 h_0 + h_1 = 4, 3 and 2 h_1 + 1 = 5, 3.
  Annotations annotations;
  annotations.labels = {0, 0};
  Views subject{.head = &head, .explanation = &explanation, .annotations = &annotations};
  auto scores = score_group(subject, "ice_eval");
  CHECK(scores["ice_eval_mae"].value == doctest::Approx((2.0 + 1.0) / 4.0));
  CHECK(scores["ice_eval_mae_spatial_mean"].value == doctest::Approx((1.0 + 1.0 + 1.0) / 4.0));
  CHECK(scores["ice_eval_top1_spatial_mean"].value == 0.5);  // (3, 3) is class 0, (2, 3) class 1
  CHECK(scores["ice_eval_norm_l1_spatial_mean"].value ==
        doctest::Approx((1.0 / 4.0 + 1.0 / 3.0) / 2.0));
  CHECK(scores["ice_eval_fidelity_error_spatial_mean"].value ==
        doctest::Approx(1.0 / (3.5 + 1e-4)));
  CHECK(scores["ice_eval_emd_spatial_mean"].reason.empty());
  CHECK(scores["ice_eval_rank_corr_spatial_mean"].reason.empty());
}

TEST_CASE("ice_eval: the two position rules are one if psi and its inverse are linear") {
  const HeadView head = random_head(30, 4, 6, 3, Pooling::kMean);
  const auto mae_by_rule = [&](const Explanation& explanation) {
    Views subject{.head = &head, .explanation = &explanation};
    const auto scores = score_group(subject, "ice_eval");
    return std::pair(scores.at("ice_eval_mae").value, scores.at("ice_eval_mae_spatial_mean").value);
  };
  const Explanation linear = normal_explanation(3, 2, 6);
  const auto [pooled, spatial_mean] = mae_by_rule(linear);
  CHECK(pooled == spatial_mean);
  // Called by position, the same numbers are a rounding away.
  Explanation called = linear;
  called.project = [&](Index c, const MatrixRef& rows) -> Matrix {
    return rows * linear.cavs.middleRows(2 * c, 2).transpose();
  };
  CHECK(mae_by_rule(called).second == doctest::Approx(pooled).epsilon(1e-12));
  const auto [of_mean, of_positions] = mae_by_rule(rectified(linear));
  CHECK(of_mean != of_positions);

  HeadView turned = head;  // the order of positions does not matter
  change_activations(turned, [](Matrix& rows) {
    for (Index i = 0; i < rows.rows(); i += 4) rows.row(i).swap(rows.row(i + 3));
  });
  const Explanation curved = rectified(linear);
  CHECK(ice_eval_surrogate({turned, curved}, PositionRule::kSpatialMean)
            .isApprox(ice_eval_surrogate({head, curved}, PositionRule::kSpatialMean), 1e-12));
}

TEST_CASE("ice_eval: shared concepts rebuild each position once for all outputs") {
  const HeadView head = random_head(20, 4, 5, 3, Pooling::kMean);
  Explanation explanation;
  explanation.class_agnostic = true;
  explanation.cavs = Matrix::Identity(5, 5);
  explanation.importance_by_output = Matrix::Zero(3, 5);
  Index projected = 0;
  explanation.project = [&](Index, const MatrixRef& rows) -> Matrix {
    projected += rows.rows();
    return rows;
  };
  CHECK(ice_eval_surrogate({head, explanation}, PositionRule::kSpatialMean)
            .isApprox(model_logits(head)));
  CHECK(projected == 80);
}

TEST_CASE("ice_eval: a flatten head has no mean over positions") {
  const HeadView head = random_head(30, 4, 6, 3, Pooling::kFlatten);
  const Explanation explanation = rectified(normal_explanation(3, 2, 6));
  CHECK(ice_eval_surrogate({head, explanation}, PositionRule::kSpatialMean) ==
        ice_eval_surrogate({head, explanation}));
  Views subject{.head = &head, .explanation = &explanation};
  CHECK(score_group(subject, "ice_eval_mae")["ice_eval_mae"].reason.empty());
  CHECK(score_group(subject, "ice_eval_mae_spatial_mean")["ice_eval_mae_spatial_mean"].message ==
        "a flatten head has other weights for each position");
}

TEST_CASE("ice_eval: other outputs, and no labels") {
  HeadView head = axes_head();
  const Explanation explanation = axes_explanation();
  Views subject{.head = &head, .explanation = &explanation};
  CHECK(score_group(subject, "ice_eval_norm_l1")["ice_eval_norm_l1"].message ==
        "needs annotated labels");
  head.output = Output::kRegression;
  for (const auto& [name, score] : score_group(subject, "ice_eval"))
    CHECK(score.reason.empty() == (name.starts_with("ice_eval_mae") || name.ends_with("params") ||
                                   name.ends_with("flops")));
}

TEST_CASE("ice_eval: the ladder is blind to importances") {
  HeadView head = random_head(200, 1, 16, 8, Pooling::kNone);
  head.bias = -head.weight * head.activations.all().colwise().mean().transpose();
  const Matrix model = model_logits(head);
  const auto error = [&](const Explanation& explanation) {
    return (ice_eval_surrogate({head, explanation}) - model).cwiseAbs().mean();
  };
  const double perfect = error(perfect_explanation(head));
  CHECK(perfect < 1e-12);
  CHECK(error(half_random_explanation(head, sdk::Seed(1))) == perfect);
  CHECK(error(random_explanation(head, sdk::Seed(1))) > 0.1);
}

TEST_CASE("ice_fidelity_error: by hand, and a class without a sample") {
  const Matrix model = (Matrix(2, 2) << 1, 0, 3, 0).finished();
  const Vector error = ice_fidelity_error(model, Matrix::Zero(2, 2), {0, 0});
  REQUIRE(error.size() == 1);  // class 1 has no sample and no entry
  CHECK(error(0) == doctest::Approx(2.0 / (2.0 + 1e-4)));
}

TEST_CASE("ice_eval: throws") {
  const HeadView head = axes_head();
  Explanation bad = axes_explanation();
  bad.offset = {0, 2};
  CHECK_THROWS_SAYING(ice_eval_surrogate({head, bad}), std::invalid_argument, "explanation",
                      "1 outputs, the head 2");
  bad = axes_explanation();
  bad.cavs = Matrix::Identity(2, 3);
  CHECK_THROWS_SAYING(ice_eval_surrogate({head, bad}), std::invalid_argument, "3 features");
  bad = axes_explanation();
  bad.project = [](Index, const MatrixRef& rows) -> Matrix { return Matrix::Ones(rows.rows(), 1); };
  bad.reconstruct = [](Index, const MatrixRef&) -> Matrix { return Matrix::Zero(1, 1); };
  CHECK_THROWS_SAYING(ice_eval_surrogate({head, bad}), std::invalid_argument,
                      "the reconstruction of output 0 returned 1 x 1; expected 2 x 2");
  bad.reconstruct = nullptr;
  bad.cavs = Matrix(0, 2);
  CHECK_THROWS_SAYING(ice_eval_surrogate({head, bad}), std::invalid_argument,
                      "0 CAVs for its 2 concepts");
  bad = axes_explanation();
  bad.project = [](Index, const MatrixRef& rows) -> Matrix {
    return Matrix::Constant(rows.rows(), 1, std::numeric_limits<double>::quiet_NaN());
  };
  CHECK_THROWS_SAYING(ice_eval_surrogate({head, bad}), std::invalid_argument, "psi of output 0",
                      "nan");
  HeadView huge = axes_head();
  change_activations(huge, [](Matrix& rows) { rows *= 1e200; });
  huge.weight *= 1e200;
  CHECK_THROWS_SAYING(ice_eval_surrogate({huge, axes_explanation()}), std::domain_error,
                      "overflows");
  CHECK_THROWS_SAYING(ice_fidelity_error(Matrix::Ones(1, 2), Matrix::Ones(1, 2), {2}),
                      std::invalid_argument, "ice_fidelity_error", "label 2 of sample 0");
  CHECK_THROWS_SAYING(ice_fidelity_error(Matrix::Ones(1, 2), Matrix::Ones(1, 2), {}),
                      std::invalid_argument, "0 labels for 1 samples");
  check_refuses_bad_pairs(
      [](const Matrix& y, const Matrix& s) {
        return ice_fidelity_error(y, s, IndexVector(static_cast<size_t>(y.rows()), 0));
      },
      "ice_fidelity_error");
}

}  // namespace

}  // namespace conoscope::tests
