// SPDX-License-Identifier: Apache-2.0
#include "metrics/disentanglement/r4.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "metrics/disentanglement/latent_sample.h"
#include "metrics/disentanglement/sap.h"
#include "metrics/factors/factor_levels.h"
#include "metrics/metric.h"
#include "numerics/checks.h"
#include "numerics/gradient_boosting.h"
#include "numerics/random.h"

namespace conoscope::metrics {

namespace {

double score(const numerics::SortedFeatures& sorted, const Matrix& test_x, const Vector& train_y,
             const Vector& test_y, bool categorical) {
  if (train_y.size() < 2 || test_y.size() < 2) return 0.0;
  if ((train_y.array() == train_y[0]).all() || (test_y.array() == test_y[0]).all()) return 1.0;
  if (!categorical) {
    const Vector predicted =
        numerics::GradientBoosting::regression(sorted, train_y).predict(test_x);
    return 1.0 -
           (test_y - predicted).squaredNorm() / (test_y.array() - test_y.mean()).square().sum();
  }
  const Matrix column = train_y;
  const FactorLevels levels = factor_levels("r4", column);
  const auto& values = levels.values[0];
  const auto model = numerics::GradientBoosting::classification(
      sorted, {levels.levels[0].begin(), levels.levels[0].end()},
      static_cast<Index>(values.size()));
  const IndexVector predicted = model.classify(test_x);
  Index hits = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i)
    hits += values[static_cast<std::size_t>(predicted[i])] == test_y[static_cast<Index>(i)];
  return static_cast<double>(hits) / static_cast<double>(predicted.size());
}

/// out(i, j) += score of target column j predicted from feature column i, over one split.
void add_scores(const MatrixRef& features, const MatrixRef& targets, const R4Split& split,
                const std::vector<bool>& categorical, double weight, Matrix& out) {
  for (Index i = 0; i < features.cols(); ++i) {
    const Matrix train_x = features(split.train, std::vector<Index>{i}),
                 test_x = features(split.test, std::vector<Index>{i});
    const numerics::SortedFeatures sorted(train_x);
    for (Index j = 0; j < targets.cols(); ++j)
      out(i, j) += weight * score(sorted, test_x, targets(split.train, j), targets(split.test, j),
                                  categorical[static_cast<std::size_t>(j)]);
  }
}

std::vector<bool> categorical_columns(const MatrixRef& values) {
  std::vector<bool> out;
  for (Index j = 0; j < values.cols(); ++j) out.push_back(is_categorical(values.col(j)));
  return out;
}

}  // namespace

R4 r4(const CodesAndFactors& sample, const std::vector<R4Split>& splits) {
  const auto& [codes, factors] = sample;
  if (splits.empty()) numerics::refuse("r4", "splits is empty; needs at least one");
  for (const R4Split& split : splits)
    for (const IndexVector* rows : {&split.train, &split.test}) {
      if (rows->empty()) numerics::refuse("r4", "splits has a part without rows");
      for (const Index row : *rows)
        if (row < 0 || row >= codes.rows())
          numerics::refuse("r4", "splits names row " + std::to_string(row) + ", outside 0 ... " +
                                     std::to_string(codes.rows() - 1));
    }
  R4 out;
  out.forward = Matrix::Zero(factors.cols(), codes.cols());
  Matrix backward = Matrix::Zero(codes.cols(), factors.cols());
  const auto of_factors = categorical_columns(factors), of_codes = categorical_columns(codes);
  const double weight = 1.0 / static_cast<double>(splits.size());
  for (const R4Split& split : splits) {
    add_scores(factors, codes, split, of_codes, weight, out.forward);
    add_scores(codes, factors, split, of_factors, weight, backward);
  }
  out.backward = backward.transpose();
  out.by_factor = (out.forward.cwiseMax(0.0).array() * out.backward.cwiseMax(0.0).array())
                      .sqrt()
                      .rowwise()
                      .maxCoeff();
  out.value = out.by_factor.mean();
  return out;
}

std::vector<R4Split> r4_splits(Index samples, std::uint64_t seed, Index count) {
  if (samples < 2)
    numerics::refuse("r4_splits", "samples is " + std::to_string(samples) + "; needs at least 2");
  if (count < 1)
    numerics::refuse("r4_splits", "count is " + std::to_string(count) + "; needs at least 1");
  numerics::Random random(seed, 23);
  const Index test = (samples + 3) / 4;
  IndexVector order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), Index{0});
  std::vector<R4Split> out;
  for (Index s = 0; s < count; ++s) {
    random.shuffle(order);
    out.push_back({{order.begin() + test, order.end()}, {order.begin(), order.begin() + test}});
  }
  return out;
}

std::vector<Metric> declare::r4() {
  return {latent_metric("r4", "Is each factor a bijection of some code?",
                        "Ross and Doshi-Velez, ICML 2021", {.codes = 1, .factors = 1}, "factor",
                        [](const Subject& subject, const LatentSample& s) -> Result {
                          const R4 found = metrics::r4(
                              s.annotated, r4_splits(s.annotated.codes.rows(), subject.seed()));
                          return {found.value, {found.by_factor.begin(), found.by_factor.end()}};
                        })};
}

}  // namespace conoscope::metrics
