// SPDX-License-Identifier: Apache-2.0
#include "metrics/disentanglement/explicitness.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "metrics/auc.h"
#include "metrics/disentanglement/latent_sample.h"
#include "metrics/factors/factor_levels.h"
#include "metrics/left_out.h"
#include "metrics/metric.h"
#include "numerics/checks.h"
#include "numerics/logistic_regression.h"
#include "numerics/to_vector.h"

namespace conoscope::metrics {

namespace {

std::optional<double> mean_area(const numerics::LogisticRegression& model, const Matrix& codes,
                                const VectorRef& factor, const std::vector<double>& values) {
  const Matrix probability = model.probabilities(codes);
  double sum = 0.0;
  int count = 0;
  for (std::size_t v = 0; v < values.size(); ++v) {
    IndexVector has_it(static_cast<std::size_t>(factor.size()));
    for (std::size_t i = 0; i < has_it.size(); ++i)
      has_it[i] = factor[static_cast<Index>(i)] == values[v] ? 1 : 0;
    const auto those = std::ranges::count(has_it, 1);
    if (those == 0 || those == factor.size()) continue;
    sum += auc(has_it, probability.col(static_cast<Index>(v)));
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

}  // namespace

Explicitness explicitness(const TrainAndTest& samples) {
  const auto& [train_codes, train_factors] = samples.train;
  const auto& [test_codes, test_factors] = samples.test;
  Explicitness out;
  IndexVector kept;
  for (Index j = 0; j < train_codes.cols(); ++j)
    ((train_codes.col(j).array() == train_codes(0, j)).all() ? out.dropped_codes : kept)
        .push_back(j);
  if (kept.empty())
    throw std::domain_error("explicitness: every column of train_codes is constant");
  Matrix train = train_codes(Eigen::all, kept), test = test_codes(Eigen::all, kept);
  const Eigen::RowVectorXd mean = train.colwise().mean();
  train.rowwise() -= mean;
  const Eigen::RowVectorXd deviation = train.array().square().colwise().mean().sqrt();
  train.array().rowwise() /= deviation.array();
  test = (test.rowwise() - mean).array().rowwise() / deviation.array();

  const FactorLevels levels = factor_levels("explicitness", train_factors);
  std::vector<double> on_test, on_train;
  for (Index k = 0; k < train_factors.cols(); ++k) {
    const auto& values = levels.values[static_cast<std::size_t>(k)];
    if (values.size() < 2) {
      out.dropped_factors.push_back(k);
      continue;
    }
    const auto& level = levels.levels[static_cast<std::size_t>(k)];
    const numerics::LogisticRegression model = numerics::logistic_regression(
        train, {level.begin(), level.end()}, static_cast<Index>(values.size()));
    const auto area = mean_area(model, test, test_factors.col(k), values);
    if (!area) {
      out.dropped_factors.push_back(k);
      continue;
    }
    on_test.push_back(*area);
    on_train.push_back(mean_area(model, train, train_factors.col(k), values).value());
  }
  if (on_test.empty())
    throw std::domain_error("explicitness: no factor has two values in training and test samples");
  out.by_factor = numerics::to_vector(on_test);
  out.train_by_factor = numerics::to_vector(on_train);
  out.value = out.by_factor.mean();
  out.train = out.train_by_factor.mean();
  return out;
}

std::vector<Metric> declare::explicitness() {
  return {latent_metric(
      "explicitness", "Can a linear classifier predict every value of every factor from the codes?",
      "Ridgeway and Mozer, NeurIPS 2018", {.codes = 1, .factors = 1}, "factor",
      [](const Subject&, const LatentSample& s) -> Result {
        const Explicitness found = metrics::explicitness(s.split);
        Result result{found.value, with_gaps({found.by_factor.data(),
                                              static_cast<std::size_t>(found.by_factor.size())},
                                             found.dropped_factors)};
        if (!found.dropped_factors.empty())
          result.caveat = left_out(static_cast<Index>(found.dropped_factors.size()), "factor",
                                   "no two values in the training and in the test part");
        return result;
      })};
}

}  // namespace conoscope::metrics
