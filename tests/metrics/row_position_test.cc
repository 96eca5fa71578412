// SPDX-License-Identifier: Apache-2.0
// What is worked out for a sample must not depend on where the sample stands: equal rows have equal
// bits, or ties are broken by row number.

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "metrics/faithfulness/checked_explanation.h"
#include "metrics/faithfulness/concept_scores.h"
#include "metrics/faithfulness/model_logits.h"
#include "metrics/faithfulness/surrogates/c_shap_network.h"
#include "metrics/purity/niche_network.h"
#include "metrics/purity/nis.h"
#include "metrics/purity/ois.h"
#include "numerics/logistic_regression.h"
#include "numerics/nnls.h"
#include "numerics/softmax.h"
#include "numerics/subspace.h"
#include "tests/support/logits.h"

namespace conoscope::tests {

namespace {

using namespace conoscope::metrics;

constexpr Index kFeatures = 12;

NicheNetwork niche_network(Index outputs) {
  NicheNetwork network;
  const Index units[] = {kFeatures, 20, 20, outputs};
  for (int layer = 0; layer < 3; ++layer) {
    network.weight[layer] =
        normal_matrix(units[layer], units[layer + 1], static_cast<std::uint64_t>(layer) + 5);
    network.bias[layer] = normal_matrix(units[layer + 1], 1, 9);
  }
  return network;
}

struct Function {
  std::string name;
  std::function<Matrix(const Matrix& rows)> call;
};

std::vector<Function> functions() {
  const Matrix bank = normal_matrix(13, kFeatures, 2), head = normal_matrix(13, kFeatures, 3);
  const Vector bias = normal_matrix(13, 1, 4);
  const auto network = [=](const Matrix& rows) {
    using Network = CShapNetwork<float>;
    Network made(Network::initial_weights(kFeatures, 16, kFeatures, 1), head, bias);
    return made.logits({rows.cast<float>()});
  };
  const auto scores = [=](const Matrix& rows) {
    HeadView view;
    view.activations = Matrix(rows);
    view.weight = head;
    view.bias = bias;
    Explanation explanation;
    explanation.cavs = bank;
    explanation.importance_by_output = Matrix::Ones(13, 13);
    explanation.class_agnostic = true;
    return concept_scores(view, explanation);
  };
  const auto logistic = [=](Index rows) {
    const numerics::LogisticRegression fitted{head.topRows(rows), bias.head(rows)};
    return [=](const Matrix& x) { return fitted.probabilities(x); };
  };
  return {
      {"niche network", [net = niche_network(3)](const Matrix& x) { return net.probabilities(x); }},
      {"one output", [net = niche_network(1)](const Matrix& x) { return net.probabilities(x); }},
      {"C-SHAP-Eval's network", network},
      {"logits", [=](const Matrix& x) { return model_logits(MatrixRef(x), head, bias); }},
      {"concept scores", scores},
      {"reconstruction as a sum of CAVs",
       [=](const Matrix& x) {
         Explanation explanation;
         explanation.cavs = bank;
         explanation.importance_by_output = Matrix::Ones(13, 13);
         explanation.class_agnostic = true;
         const Matrix concepts = x * bank.topRows(1).transpose() * Matrix::Ones(1, 13);
         return CheckedExplanation(explanation).reconstruct(0, concepts, kFeatures);
       }},
      {"softmax", [=](const Matrix& x) { return numerics::softmax(x.leftCols(7)); }},
      {"logistic regression", logistic(7)},
      {"logistic regression, two classes", logistic(1)},
      {"nnls", [=](const Matrix& x) { return numerics::nnls(x, bank.cwiseAbs()); }},
      {"subspace", [=](const Matrix& x) { return numerics::subspace_coefficients(x, bank); }},
  };
}

TEST_CASE("equal rows have equal results, however many there are") {
  for (const Function& function : functions())
    for (Index n = 1; n <= 130; ++n) {
      const Matrix row = normal_matrix(1, kFeatures, 1), out = function.call(row.replicate(n, 1));
      Index other = 0;
      for (Index i = 0; i < n; ++i) other += out.row(i) != out.row(0);
      INFO(function.name, ", n = ", n);
      CHECK(other == 0);
    }
}

TEST_CASE("a representation that is the same for all samples predicts nothing: an AUC of 0.5") {
  for (Index n = 60; n <= 190; ++n) {
    Matrix concepts(n, 3);
    for (Index i = 0; i < n; ++i)
      concepts.row(i) << static_cast<double>(i % 2), static_cast<double>(i % 3),
          static_cast<double>(i % 7);
    const Matrix c_hat = normal_matrix(1, 6, 6).replicate(n, 1);
    INFO("n = ", n);
    CHECK(purity_matrix(c_hat, 2, concepts, {.epochs = 2}) == Matrix::Constant(3, 3, 0.5));
  }
}

TEST_CASE("with every feature masked nothing is told apart: an AUC of 0.5 at beta 0") {
  for (Index n = 2; n <= 130; ++n) {
    const Matrix c_hat = normal_matrix(n, kFeatures, 6);
    Matrix concepts(n, 3);
    for (Index i = 0; i < concepts.size(); ++i) concepts.data()[i] = static_cast<double>(i % 2);
    if (n > 2) concepts.row(2) = 1.0 - concepts.row(2).array();
    const Matrix all = Matrix::Ones(kFeatures, 3);
    for (const auto variant : {NicheVariant::kMasked, NicheVariant::kSoftmax}) {
      INFO("n = ", n);
      CHECK(niche_impurity(niche_network(3), all, c_hat, 1, concepts, variant).by_beta(0) == 0.5);
    }
  }
}

}  // namespace

}  // namespace conoscope::tests
