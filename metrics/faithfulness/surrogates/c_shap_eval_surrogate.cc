// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surrogates/c_shap_eval_surrogate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "metrics/faithfulness/model_logits.h"
#include "numerics/checks.h"
#include "numerics/plateau.h"
#include "numerics/random.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "c_shap_eval";
constexpr std::uint64_t kOrderStream = 1;

using Network = CShapNetwork<float>;

void require_options(const CShapEvalOptions& options) {
  if (options.hidden < 1 || options.epochs < 1 || options.batch < 1 || options.patience < 0)
    numerics::refuse(kName, "hidden, epochs and batch must be >= 1 and patience >= 0");
  if (!(options.learning_rate > 0.0) || !std::isfinite(options.learning_rate))
    numerics::refuse(kName, "learning_rate is " + std::to_string(options.learning_rate));
}

void require_heads(const ExplainedHead& train, const ExplainedHead& test) {
  if (test.flatten() || train.flatten())
    numerics::refuse(kName, "a flatten head has other weights for each position");
  if (train.head().width() != test.head().width())
    numerics::refuse(kName, "the training head is " + std::to_string(train.head().outputs()) +
                                " x " + std::to_string(train.head().width()) +
                                ", the evaluated one " + std::to_string(test.head().outputs()) +
                                " x " + std::to_string(test.head().width()));
}

// psi of the pooled embeddings: one matrix for each class, as wide as the largest K_c, or a single
// one when all classes share their concepts.
Network::Scores scores_of(const ExplainedHead& of, Index concepts) {
  Network::Scores out;
  for (Index c = 0; c < (of.explanation()->class_agnostic ? 1 : of.head().outputs()); ++c) {
    const Matrix scores = of.project(c, of.pooled());
    out.push_back(Network::Array2::Zero(scores.rows(), concepts));
    out.back().leftCols(scores.cols()) = scores.cast<float>();
  }
  return out;
}

}  // namespace

CShapEval c_shap_eval_surrogate(const ExplainedHead& train, const ExplainedHead& test,
                                CShapLoss loss, std::uint64_t seed,
                                const CShapEvalOptions& options) {
  require_options(options);
  require_heads(train, test);
  const IndexVector counts = test.explanation().concepts();
  const Index concepts = *std::max_element(counts.begin(), counts.end());
  if (concepts < 1) numerics::refuse(kName, "the explanation has no concept");
  const Matrix model = model_logits(train.pooled(), train.head().weight, train.head().bias);
  const Network::Scores scores = scores_of(train, concepts);
  const Index n = model.rows();

  Network network(Network::initial_weights(concepts, options.hidden, test.head().width(), seed,
                                           options.initialisation),
                  train.head().weight, train.head().bias, options.biases);
  numerics::Random random(seed, kOrderStream);
  numerics::Plateau plateau({options.learning_rate, 0.5, options.threshold, options.patience});
  IndexVector order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  Network::Scores batch(scores.size());
  Matrix target;
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    random.shuffle(order);
    double total = 0.0;
    for (Index begin = 0; begin < n; begin += options.batch) {
      const Index count = std::min(options.batch, n - begin);
      for (size_t c = 0; c < scores.size(); ++c) batch[c].resize(count, concepts);
      target.resize(count, model.cols());
      for (Index i = 0; i < count; ++i) {
        const Index from = order[static_cast<size_t>(begin + i)];
        for (size_t c = 0; c < scores.size(); ++c) batch[c].row(i) = scores[c].row(from);
        target.row(i) = model.row(from);
      }
      total += static_cast<double>(count) * network.train(batch, target, loss, plateau.rate());
    }
    if (!std::isfinite(total))
      throw std::domain_error(std::string(kName) + ": the loss of epoch " +
                              std::to_string(epoch + 1) + " is not finite");
    if (plateau.step(total / static_cast<double>(n)) < options.smallest_rate) break;
  }

  const Network::Scores evaluated = scores_of(test, concepts);
  CShapEval out{network.logits(evaluated), network.dead_units(evaluated)};
  if (!numerics::all_finite(out.logits))
    throw std::domain_error(std::string(kName) + ": the trained network's logits overflow");
  return out;
}

}  // namespace conoscope::metrics
