#include "metrics/faithfulness/surf_linear.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>
#include <thread>

#include "metrics/faithfulness/model_logits.h"
#include "metrics/faithfulness/surf_surrogate.h"
#include "tests/support/heads.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

// More than two blocks of rows, the last one not full.
constexpr Index kSamples = 1100;

TEST_CASE("surf_linear: the tally of surf_surrogate, folded or not, float64 or float32") {
  const HeadView head = random_head(kSamples, 1, 24, 6, Pooling::kNone);
  const Explanation explanation = normal_explanation(6, 3, 24);
  const Matrix model = model_logits(head);
  const MatrixF narrow = head.activations.cast<float>();

  SurfTally exact(6), single(6);
  exact.add(model, surf_surrogate(head, explanation));
  single.add(model, surf_surrogate(MatrixRefF(narrow), explanation, head.bias));
  CHECK(surf_linear(MatrixRefF(narrow), explanation, head.bias, model).mae_rows() ==
        single.mae_rows());
  CHECK(surf_linear(MatrixRefF(narrow), explanation, head.bias, model).rank_corr_rows() ==
        single.rank_corr_rows());

  for (const bool fold : {true, false}) {
    SurfLinearOptions options;
    options.fold = fold;
    const SurfTally tally =
        surf_linear(MatrixRef(head.activations), explanation, head.bias, model, options);
    CHECK(tally.samples() == kSamples);
    CHECK(tally.mae() == doctest::Approx(exact.mae()).epsilon(1e-13));
    CHECK(tally.emd() == doctest::Approx(exact.emd()).epsilon(1e-13));
    CHECK(tally.top1() == exact.top1());
    CHECK(tally.rank_corr() == doctest::Approx(exact.rank_corr()).epsilon(1e-13));
    // float32 keeps about 7 digits of logits up to 50.
    const SurfTally rough = surf_linear(MatrixRefF(narrow), explanation, head.bias, model, options);
    CHECK(rough.mae() == doctest::Approx(exact.mae()).epsilon(1e-5));
    CHECK(rough.emd() == doctest::Approx(exact.emd()).epsilon(1e-4));
  }
}

TEST_CASE("surf_linear: class-agnostic explanations") {
  const HeadView head = random_head(kSamples, 1, 10, 4, Pooling::kNone);
  Explanation agnostic;
  agnostic.class_agnostic = true;
  agnostic.cavs = normal_matrix(7, 10, 3);
  agnostic.importance_by_output = normal_matrix(4, 7, 4);
  const Matrix model = model_logits(head);
  SurfTally expected(4);
  expected.add(model, surf_surrogate(head, agnostic));
  for (const bool fold : {true, false}) {
    SurfLinearOptions options;
    options.fold = fold;
    CHECK(surf_linear(MatrixRef(head.activations), agnostic, head.bias, model, options).mae() ==
          doctest::Approx(expected.mae()).epsilon(1e-13));
  }
}

TEST_CASE("surf_linear: throws") {
  const Explanation explanation = normal_explanation(3, 2, 5);
  const Vector bias = Vector::Ones(3);
  const Matrix model = Matrix::Ones(4, 3);
  MatrixF rows = MatrixF::Ones(4, 5);
  const auto call = [&](const MatrixF& h, const Explanation& e, const Vector& b, const Matrix& y) {
    return surf_linear(MatrixRefF(h), e, b, y);
  };
  CHECK_THROWS_SAYING(call(rows, rectified(explanation), bias, model), std::invalid_argument,
                      "surf_linear", "projection");
  CHECK_THROWS_SAYING(call(MatrixF(0, 5), explanation, bias, Matrix(0, 3)), std::invalid_argument,
                      "rows 0 x 5");
  CHECK_THROWS_SAYING(call(MatrixF::Ones(4, 6), explanation, bias, model), std::invalid_argument,
                      "rows 4 x 6", "width 5");
  CHECK_THROWS_SAYING(call(rows, explanation, Vector::Ones(2), model), std::invalid_argument,
                      "2 biases");
  CHECK_THROWS_SAYING(call(rows, explanation, bias, Matrix::Ones(3, 3)), std::invalid_argument,
                      "model_logits 3 x 3");
  CHECK_THROWS_SAYING(call(rows, explanation, Vector{{1.0, std::nan(""), 0.0}}, model),
                      std::invalid_argument, "bias is nan at entry 1");
  CHECK_THROWS_SAYING(call(rows, explanation, bias, Matrix::Constant(4, 3, std::nan(""))),
                      std::invalid_argument, "model_logits is nan");
  Explanation huge = explanation;
  huge.cavs *= 1e30;
  huge.importance *= 1e30;
  CHECK_THROWS_SAYING(call(rows, huge, bias, model), std::domain_error, "overflows");
  rows(3, 1) = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_SAYING(call(rows, explanation, bias, model), std::invalid_argument, "rows is nan",
                      "row 3", "column 1");
}

}  // namespace

}  // namespace conoscope::tests
