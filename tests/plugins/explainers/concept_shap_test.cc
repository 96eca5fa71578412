// SPDX-License-Identifier: Apache-2.0
#include "plugins/explainers/c_shap/concept_shap.h"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <thread>

#include "tests/support/normals.h"

using namespace conoscope::methods;
using conoscope::testing::normals;
using namespace conoscope::numerics;

namespace {

/// Sample i is of class i mod C.
Coalitions targets_of(Index n, Index classes) {
  Coalitions out = Coalitions::Zero(n, classes);
  for (Index i = 0; i < n; ++i) out(i, i % classes) = 1;
  return out;
}

Matrix recall_by_products(const MatrixF& scores, Index positions, const MatrixF& w1,
                          const MatrixF& w2, const FrozenHead<float>& head,
                          const Coalitions& targets, const Coalitions& coalitions) {
  Matrix out = Matrix::Zero(coalitions.rows(), targets.cols());
  const Matrix first = w1.cast<double>(), second = w2.cast<double>();
  for (Index q = 0; q < coalitions.rows(); ++q)
    for (Index i = 0; i < targets.rows(); ++i) {
      Eigen::RowVectorXd pooled = Eigen::RowVectorXd::Zero(w2.cols());
      for (Index p = 0; p < positions; ++p) {
        const Eigen::RowVectorXd masked = (scores.row(i * positions + p).cast<double>().array() *
                                           coalitions.row(q).cast<double>().array())
                                              .matrix();
        pooled += (masked * first).cwiseMax(0.0) * second / static_cast<double>(positions);
      }
      const Eigen::RowVectorXd y =
          pooled * head.weight.cast<double>().transpose() + head.bias.cast<double>().transpose();
      for (Index c = 0; c < targets.cols(); ++c) {
        Index best = 0;
        for (Index other = 1; other < y.size(); ++other)
          if (y[other] > y[best]) best = other;
        if (targets(i, c) != 0 && (head.sigmoid ? y[c] > 0.0 : best == c))
          out(q, c) += 1.0 / targets.col(c).cast<double>().sum();
      }
    }
  return out;
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("scores, by hand: threshold on the cosine, then shares of the sum") {
  const Matrix concepts{{2.0, 0.0}, {0.0, 5.0}};
  const Matrix x{{3.0, 4.0}, {10.0, 1.0}, {-1.0, -1.0}, {0.0, 0.0}};
  const Matrix scores = concept_scores<double>(x, concepts, 0.2);
  CHECK(scores.isApprox(
      Matrix{{3.0 / 7.001, 4.0 / 7.001}, {10.0 / 10.001, 0.0}, {0.0, 0.0}, {0.0, 0.0}}, 1e-14));
}

TEST_CASE("the gradient of the loss is that of finite differences, softmax and sigmoid") {
  const Index n = 6, positions = 3;
  const Matrix x = normals(n * positions, 5, 1);
  const Coalitions targets = targets_of(n, 4);
  ConceptShapModel<double> model{normals(4, 5, 2), normals(4, 7, 3), normals(7, 5, 4)}, gradient;
  const ConceptShapLoss loss{
      .beta = 0.1, .similarity_weight = 0.7, .distinct_weight = 0.9, .top = 4};
  for (const bool sigmoid : {false, true}) {
    const FrozenHead<double> head{normals(4, 5, 5), normals(4, 1, 6).col(0), sigmoid};
    const auto value = [&](ConceptShapModel<double>* out) {
      return concept_shap_loss<double>(x, positions, targets, head, model, loss, out);
    };
    CHECK(value(&gradient) == value(nullptr));
    const auto compare = [&](Matrix& part, const Matrix& slopes) {
      CHECK(slopes.cwiseAbs().maxCoeff() > 1e-3);
      for (Index i = 0; i < part.size(); ++i) {
        const double kept = part.data()[i], step = 1e-6;
        part.data()[i] = kept + step;
        const double up = value(nullptr);
        part.data()[i] = kept - step;
        const double down = value(nullptr);
        part.data()[i] = kept;
        // Rounding of the loss over the step: 1e-16 / 1e-6.
        CHECK(slopes.data()[i] ==
              doctest::Approx((up - down) / (2 * step)).epsilon(1e-5).scale(1e-3));
      }
    };
    compare(model.concepts, gradient.concepts);
    compare(model.w1, gradient.w1);
    compare(model.w2, gradient.w2);
  }
}

TEST_CASE(
    "recall of coalitions is what plain products give: one group, several, padding, sigmoid") {
  for (const Index concepts : {3, 9, 30})
    for (const bool sigmoid : {false, true}) {
      const Index n = 20, positions = 2, hidden = 37;
      MatrixF scores = normals(n * positions, concepts, 1).cwiseAbs().cast<float>();
      scores.row(4).setZero();
      scores.col(1).setZero();
      const MatrixF w1 = normals(concepts, hidden, 2).cast<float>();
      const MatrixF w2 = normals(hidden, 6, 3).cast<float>();
      const FrozenHead<float> head{normals(4, 6, 4).cast<float>(),
                                   normals(4, 1, 5).col(0).cast<float>(), sigmoid};
      const Coalitions targets = targets_of(n, 4);
      const Coalitions drawn = sample_coalitions(concepts, 60, Seed(6));
      const Matrix recall = coalition_recall(scores, positions, w1, w2, head, targets, drawn);
      CHECK((recall - recall_by_products(scores, positions, w1, w2, head, targets, drawn))
                .cwiseAbs()
                .maxCoeff() < 1e-12);
      CHECK(recall.minCoeff() >= 0.0);
      CHECK(recall.maxCoeff() <= 1.0);
    }
}

TEST_CASE("recall: ties go to the lowest class, a class without samples has 0") {
  const FrozenHead<float> head{MatrixF::Zero(3, 2), Eigen::VectorXf::Zero(3)};
  Coalitions targets = Coalitions::Zero(2, 3);
  targets(0, 0) = targets(1, 1) = 1;
  int steps = 0;
  const Matrix recall =
      coalition_recall(MatrixF::Ones(2, 2), 1, MatrixF::Ones(2, 2), MatrixF::Ones(2, 2), head,
                       targets, all_coalitions(2), [&] { ++steps; });
  CHECK(recall.row(3) == Eigen::RowVectorXd{{1.0, 0.0, 0.0}});
  CHECK(steps == 2);
}

TEST_CASE("fit: the rebuilt logits agree with the targets; same bits in eight threads at once") {
  const Index n = 90, positions = 2;
  const MatrixF x = normals(n * positions, 6, 1).cwiseAbs().cast<float>();
  const FrozenHead<float> head{normals(3, 6, 2).cast<float>(), Eigen::VectorXf::Zero(3)};
  Coalitions targets = Coalitions::Zero(n, 3);
  for (Index i = 0; i < n; ++i) {
    Index best = 0;
    (x.middleRows(i * positions, positions).colwise().sum() * head.weight.transpose())
        .maxCoeff(&best);
    targets(i, best) = 1;
  }
  ConceptShapOptions options;
  options.concepts = 8;
  options.hidden = 40;
  options.epochs = 80;
  options.batch = 16;
  const auto model = concept_shap_fit(x, positions, targets, head, options, Seed(3));
  CHECK(model.concepts.rowwise().norm().isApproxToConstant(1.0F, 1e-6F));
  const Matrix recall = coalition_recall(concept_scores<float>(x, model.concepts, 0.2), positions,
                                         model.w1, model.w2, head, targets, Coalitions::Ones(1, 8));
  // Over all samples, and better than always saying the most frequent class.
  const Eigen::RowVectorXd members = targets.cast<double>().colwise().sum();
  const double agreement = recall.row(0).dot(members) / static_cast<double>(n);
  CHECK(agreement > 0.5 * (1.0 + members.maxCoeff() / static_cast<double>(n)));
  options.epochs = 3;
  const auto shorter = concept_shap_fit(x, positions, targets, head, options, Seed(3));
  std::vector<ConceptShapModel<float>> all(8);
  std::vector<std::thread> threads;
  for (auto& one : all)
    threads.emplace_back(
        [&] { one = concept_shap_fit(x, positions, targets, head, options, Seed(3)); });
  for (auto& thread : threads) thread.join();
  for (const auto& one : all) CHECK(one.concepts == shorter.concepts);
}

TEST_CASE("duplicate_of, by hand: of a duplicate there are no duplicates") {
  const Matrix concepts{{1.0, 0.0}, {3.0, 0.3}, {0.0, 1.0}, {1.0, 0.2}, {-1.0, 0.0}};
  CHECK(duplicate_of(concepts, 0.99) == std::vector<Index>{0, 0, 2, 3, 4});
  CHECK(duplicate_of(concepts, 0.95) == std::vector<Index>{0, 0, 2, 0, 4});
}

TEST_CASE("what is refused") {
  const Matrix x = normals(4, 3, 1);
  const Coalitions targets = targets_of(4, 2);
  const FrozenHead<double> head{normals(2, 3, 2), Vector::Zero(2)};
  const ConceptShapModel<double> model{normals(5, 3, 3), normals(5, 6, 4), normals(6, 3, 5)};
  const auto refuses = [&](Index positions, const Coalitions& wanted,
                           const FrozenHead<double>& front, const ConceptShapModel<double>& net,
                           const ConceptShapLoss& loss) {
    CHECK_THROWS_AS(concept_shap_loss<double>(x, positions, wanted, front, net, loss, nullptr),
                    std::invalid_argument);
  };
  refuses(0, targets, head, model, {});
  refuses(2, targets, head, model, {});
  refuses(1, targets_of(4, 3), head, model, {});
  refuses(1, targets, {normals(2, 4, 2), Vector::Zero(2)}, model, {});
  refuses(1, targets, head, {normals(5, 3, 3), normals(4, 6, 4), normals(6, 3, 5)}, {});
  refuses(1, targets, head, model, {.beta = 1.0});
  refuses(1, targets, head, model, {.similarity_weight = -1.0});
  refuses(1, targets, head, model, {.distinct_weight = kNan});
  refuses(1, targets, head, model, {.top = 0});
  CHECK_THROWS_AS(concept_scores<double>(x, normals(2, 4, 1), 0.1), std::invalid_argument);
  CHECK_THROWS_WITH_AS(concept_scores<double>(x, Matrix::Zero(2, 3), 0.1),
                       "concept_scores: concept 0 has norm 0", std::invalid_argument);
  CHECK_THROWS_AS(concept_scores<double>(x * kNan, normals(2, 3, 1), 0.1), std::invalid_argument);
  CHECK_THROWS_AS(duplicate_of(Matrix::Zero(1, 2), 0.9), std::invalid_argument);
  CHECK_THROWS_AS(duplicate_of(Matrix::Ones(1, 2), 0.0), std::invalid_argument);

  const MatrixF xf = x.cast<float>();
  const FrozenHead<float> headf{head.weight.cast<float>(), Eigen::VectorXf::Zero(2)};
  for (Index ConceptShapOptions::*const count :
       {&ConceptShapOptions::concepts, &ConceptShapOptions::hidden, &ConceptShapOptions::batch}) {
    ConceptShapOptions none;
    none.*count = 0;
    CHECK_THROWS_AS(concept_shap_fit(xf, 1, targets, headf, none, Seed(1)), std::invalid_argument);
  }
  ConceptShapOptions none;
  none.epochs = 0;
  CHECK_THROWS_AS(concept_shap_fit(xf, 1, targets, headf, none, Seed(1)), std::invalid_argument);

  const MatrixF w1 = MatrixF::Ones(3, 4), w2 = MatrixF::Ones(4, 3);
  CHECK_THROWS_AS(coalition_recall(xf, 1, w1, w2, headf, targets, Coalitions::Ones(1, 2)),
                  std::invalid_argument);
  CHECK_THROWS_AS(coalition_recall(xf, 0, w1, w2, headf, targets, Coalitions::Ones(1, 3)),
                  std::invalid_argument);
  CHECK_THROWS_AS(coalition_recall(xf, 1, w1, w1, headf, targets, Coalitions::Ones(1, 3)),
                  std::invalid_argument);
}
