// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <Eigen/QR>
#include <map>

#include "metrics/faithfulness/class_assignment.h"
#include "metrics/faithfulness/deletion/deletion_concept.h"
#include "metrics/faithfulness/deletion/deletion_parts.h"
#include "metrics/faithfulness/deletion/deletion_weight.h"
#include "metrics/faithfulness/model_logits.h"
#include "metrics/faithfulness/surrogates/completeness.h"
#include "tests/support/heads.h"
#include "tests/support/score_group.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

TEST_CASE("deletion_order: by value, ties to the lowest index") {
  CHECK(deletion_order((Vector(4) << 1, -9, 3, 1).finished()) == IndexVector{2, 0, 3, 1});
  CHECK(deletion_order(Vector(0)).empty());
  Vector bad = Vector::Ones(2);
  bad(1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_SAYING(deletion_order(bad), std::invalid_argument, "importance is nan at entry 1");
}

TEST_CASE("deletion_auc: trapezoids over the deleted share") {
  CHECK(deletion_auc({1.0, 0.0}) == 0.5);
  CHECK(deletion_auc({4.0, 2.0, 0.0}) == 2.0);
  CHECK(deletion_auc({3.0, 3.0, 3.0, 3.0}) == 3.0);
  CHECK_THROWS_SAYING(deletion_auc({1.0}), std::invalid_argument, "1 values");
}

TEST_CASE("deletion_concept: by hand") {
  const Matrix scores = (Matrix(1, 2) << 2, 5).finished();
  const auto sum = [](const IndexVector&, const MatrixRef& left) -> Vector {
    return left.rowwise().sum();
  };
  const DeletionCurve curve = deletion_concept(scores, (Vector(2) << 1, 3).finished(), sum);
  CHECK(curve.order == IndexVector{1, 0});
  CHECK(curve.values == std::vector<double>{7, 2, 0});
  CHECK(curve.auc == doctest::Approx((3.5 + 2 + 0) / 2));
  CHECK_THROWS_SAYING(deletion_concept(Matrix(0, 2), Vector::Ones(2), sum), std::invalid_argument,
                      "deletion_concept", "0 x 2");
  CHECK_THROWS_SAYING(deletion_concept(Matrix(1, 0), Vector(0), sum), std::invalid_argument,
                      "1 x 0");
  CHECK_THROWS_SAYING(deletion_concept(scores, Vector::Ones(3), sum), std::invalid_argument,
                      "3 importances");
  CHECK_THROWS_SAYING(deletion_concept(scores, Vector::Ones(2),
                                       [](const IndexVector&, const MatrixRef&) -> Vector {
                                         return Vector::Constant(
                                             1, std::numeric_limits<double>::infinity());
                                       }),
                      std::invalid_argument, "the answer is inf");
  CHECK_THROWS_SAYING(
      deletion_concept(scores, Vector::Ones(2),
                       [](const IndexVector&, const MatrixRef&) -> Vector { return Vector(2); }),
      std::invalid_argument, "2 answers for 1 rows");
  Matrix bad = scores;
  bad(0, 1) = -std::numeric_limits<double>::infinity();
  CHECK_THROWS_SAYING(deletion_concept(bad, Vector::Ones(2), sum), std::invalid_argument,
                      "scores is -inf");
}

TEST_CASE(
    "deletion_concept: asked for what a step changes, in few calls, and the same as all anew") {
  Matrix scores = normal_matrix(40, 30, 6);
  for (Index i = 0; i < 40; ++i)
    for (Index k = 0; k < 30; ++k)
      if ((i + k) % 3 != 0) scores(i, k) = 0.0;
  const auto answer = [](const MatrixRef& left) -> Vector {
    return left.array().square().rowwise().sum().sqrt();
  };
  Index calls = 0, rows = 0;
  const DeletionCurve curve = deletion_concept(
      scores, Vector::LinSpaced(30, 30, 1),
      [&](const IndexVector& samples, const MatrixRef& left) -> Vector {
        ++calls, rows += left.rows();
        REQUIRE(static_cast<Index>(samples.size()) == left.rows());
        for (Index r = 0; r < left.rows(); ++r)
          for (Index k = 0; k < 30; ++k)
            CHECK((left(r, k) == 0.0 || left(r, k) == scores(samples[static_cast<size_t>(r)], k)));
        return answer(left);
      });
  CHECK(rows == 40 + 400);  // a third of 40 x 30 scores
  CHECK(calls == 3);
  Matrix left = scores;
  for (Index k = 0; k <= 30; ++k) {
    CHECK(curve.values[static_cast<size_t>(k)] == answer(left).mean());
    if (k < 30) left.col(k).setZero();
  }
}

TEST_CASE("deletion_weight: by hand, whatever a CAV's length, and CAVs that add nothing") {
  // Class 0 reads the first axis, class 1 the second.
  const Matrix rows = (Matrix(2, 2) << 1, 0, 0, 1).finished(), head = Matrix::Identity(2, 2);
  const Vector bias = (Vector(2) << 0, 0.5).finished();
  Matrix cavs = (Matrix(3, 2) << 3, 0, 6, 0, 0, 0).finished();
  const Vector importance = (Vector(3) << 3, 2, 1).finished();
  // Without the first axis sample 0 has logits (0, 0.5): wrong. The parallel and the zero CAV
  // change nothing any more.
  const DeletionCurve curve = deletion_weight(rows, head, bias, cavs, importance, {0, 1});
  CHECK(curve.values == std::vector<double>{1.0, 0.5, 0.5, 0.5});
  CHECK(curve.auc == doctest::Approx((0.75 + 0.5 + 0.5) / 3));
  CHECK_THROWS_SAYING(deletion_weight(rows, head, bias, Matrix(0, 2), Vector(0), {0, 1}),
                      std::invalid_argument, "deletion_weight", "0 x 2");
  CHECK_THROWS_SAYING(
      deletion_weight(rows, head, bias, Matrix::Ones(1, 3), Vector::Ones(1), {0, 1}),
      std::invalid_argument, "1 x 3");
  CHECK_THROWS_SAYING(deletion_weight(rows, head, bias, cavs, importance, {0, 2}),
                      std::invalid_argument, "label 2");
  cavs(0, 0) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_SAYING(deletion_weight(rows, head, bias, cavs, importance, {0, 1}),
                      std::invalid_argument, "cavs is nan");
}

TEST_CASE("deletion_weight: the rows of the head less their projections on the CAVs so far") {
  const HeadView head = random_head(300, 1, 40, 6, Pooling::kNone);
  const Matrix rows = head.activations.all(), cavs = normal_matrix(30, 40, 4);
  const Vector importance = Vector::LinSpaced(30, 30, 1);
  const IndexVector labels = class_assignment(model_logits(head)).predictions;
  const DeletionCurve curve =
      deletion_weight(rows, head.weight, head.bias, cavs, importance, labels);
  for (Index k = 1; k <= 30; ++k) {
    const Matrix some = cavs.topRows(k).transpose();
    const Matrix basis =
        Eigen::HouseholderQR<Matrix>(some).householderQ() * Matrix::Identity(40, k);
    const Matrix left = head.weight - head.weight * basis * basis.transpose();
    CHECK(curve.values[static_cast<size_t>(k)] ==
          accuracy(model_logits(rows, left, head.bias), labels));
  }
  CHECK(curve.values.back() < 0.5);
}

TEST_CASE("deletion_parts: by hand") {
  // Two grey pixels are the two logits.
  const Matrix images = (Matrix(3, 2) << 1, 0, 0, 1, 0, 2).finished();
  IndexVector asked;
  const auto model = [&asked](const MatrixRef& left) -> Matrix {
    asked.push_back(left.rows());
    return left;
  };
  const Vector grey = Vector::Constant(1, 0.1);
  // Concept 7 has the second pixel of the last two samples; 9 has all the others.
  const PartDeletion curve =
      deletion_parts(images, {9, 9, 9, 7, 9, 7}, {7, 9}, grey, {0, 1, 1}, model);
  // 7 away: samples 1 and 2 become (0, 0.1), still right. Both away: all are (0.1, 0.1): class 0.
  CHECK(curve.accuracy == std::vector<double>{1.0, 1.0, 1.0 / 3.0});
  CHECK(curve.by_class == (Matrix(3, 2) << 1, 1, 1, 1, 1, 0).finished());
  CHECK(curve.classes_lost == IndexVector{0, 0, 1});
  CHECK(asked == IndexVector{3, 2, 3});  // for samples that changed; for none, not at all:
  CHECK(deletion_parts(images, IndexVector(6, 0), {5, 6}, grey, {0, 1, 1}, model).accuracy ==
        std::vector<double>{1.0, 1.0, 1.0});
  CHECK(asked == IndexVector{3, 2, 3, 3});
  CHECK(deletion_parts(images, IndexVector(6, 0), {5}, grey, {0, 0, 0}, model).by_class(1, 1) ==
        1.0);
  CHECK_THROWS_SAYING(deletion_parts(images, {0, 0}, {0}, grey, {0, 1, 1}, model),
                      std::invalid_argument, "deletion_parts", "2 assigned parts");
  CHECK_THROWS_SAYING(deletion_parts(images, IndexVector(6, 0), {}, grey, {0, 1, 1}, model),
                      std::invalid_argument, "0 concepts");
  CHECK_THROWS_SAYING(deletion_parts(images, IndexVector(6, 0), {0}, grey, {0, 1, 2}, model),
                      std::invalid_argument, "label 2");
  CHECK_THROWS_SAYING(deletion_parts(images, IndexVector(6, 0), {0}, grey, {0, 1, 1},
                                     [](const MatrixRef&) -> Matrix { return Matrix::Zero(1, 2); }),
                      std::invalid_argument, "answered 1 rows for 3");
  Index outputs = 2;
  CHECK_THROWS_SAYING(deletion_parts(images, IndexVector(6, 0), {0}, grey, {0, 1, 1},
                                     [&](const MatrixRef& left) -> Matrix {
                                       return Matrix::Zero(left.rows(), outputs++);
                                     }),
                      std::invalid_argument, "has answered 2 outputs, and now 3");
  CHECK_THROWS_SAYING(deletion_parts(images, IndexVector(6, 0), {0},
                                     Vector::Constant(1, std::numeric_limits<double>::quiet_NaN()),
                                     {0, 1, 1}, model),
                      std::invalid_argument, "fill is nan");
}

std::map<std::string, Score> score_all(const HeadView& head, const Explanation& explanation,
                                       const Annotations& annotations) {
  Views subject{.head = &head, .explanation = &explanation, .annotations = &annotations};
  return score_group(subject, "deletion");
}

TEST_CASE("deletion: by hand") {
  // Two samples of two positions; each class reads one axis.
  HeadView head;
  head.activations = (Matrix(4, 2) << 4, 0, 2, 2, 0, 4, 0, 4).finished();
  head.positions = 2;
  head.pooling = Pooling::kMean;
  head.weight = Matrix::Identity(2, 2);
  head.bias = (Vector(2) << 0.5, 0).finished();
  const Explanation explanation = perfect_explanation(head);
  Annotations annotations;
  annotations.labels = {0, 1};
  auto scores = score_all(head, explanation, annotations);
  // Class 0: logit 3.5 falls to the bias 0.5; class 1: 4 falls to 0.
  CHECK(scores["deletion_concept_auc"].value == doctest::Approx((2.0 + 2.0) / 2.0));
  // Without its axis, class 0 has 0.5 against 1: wrong. Class 1 has 0 against 0.5: wrong.
  CHECK(scores["deletion_weight_auc"].value == 0.5);
  // One concept owns all positions; the mean embedding (1.5, 2.5) gives class 1 for both samples.
  CHECK(scores["deletion_position_auc"].value == doctest::Approx((0.5 + 1.0) / 2.0));
  CHECK(scores["deletion_position_classes_lost"].value == 1.0);

  annotations.labels.clear();
  scores = score_all(head, explanation, annotations);
  CHECK(scores["deletion_concept_auc"].reason.empty());
  CHECK(scores["deletion_weight_auc"].message == "needs annotated labels");
  Explanation empty = explanation;
  empty.cavs = Matrix(0, 2);
  empty.importance = Vector(0);
  empty.offset = {0, 0, 0};
  annotations.labels = {0, 1};
  CHECK(score_all(head, empty, annotations)["deletion_concept_auc"].reason == "undefined");
  head.output = Output::kSigmoid;
  CHECK(score_all(head, explanation, annotations)["deletion_concept_auc"].reason ==
        "not_applicable");
}

TEST_CASE("deletion: one position has no parts, and labels must fit") {
  const HeadView head = random_head(6, 1, 3, 2, Pooling::kNone);
  Annotations annotations;
  annotations.labels = IndexVector(6, 1);
  auto scores = score_all(head, perfect_explanation(head), annotations);
  CHECK(scores["deletion_position_auc"].message == "there is one position only");
  CHECK(scores["deletion_weight_auc"].reason.empty());
  annotations.labels.pop_back();
  CHECK_THROWS_SAYING(score_all(head, perfect_explanation(head), annotations),
                      std::invalid_argument, "5 labels for 6 samples");
}

TEST_CASE("deletion: no ladder; a random concept can look better than the perfect one") {
  // Why these are marked as proxies: rebuilding from random concepts loses the logit before
  // anything is deleted.
  const HeadView head = random_head(200, 1, 16, 8, Pooling::kNone);
  const Annotations none;
  const double perfect =
      score_all(head, perfect_explanation(head), none)["deletion_concept_auc"].value;
  const double half =
      score_all(head, half_random_explanation(head, sdk::Seed(2)), none)["deletion_concept_auc"]
          .value;
  const double random =
      score_all(head, random_explanation(head, sdk::Seed(2)), none)["deletion_concept_auc"].value;
  CHECK(half == perfect);
  CHECK(random < perfect);
}

}  // namespace

}  // namespace conoscope::tests
