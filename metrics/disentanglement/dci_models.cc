#include "metrics/disentanglement/dci_models.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "metrics/disentanglement/sample_pair.h"
#include "metrics/robustness/factor_cells.h"
#include "numerics/checks.h"
#include "numerics/random.h"

namespace conoscope::metrics {

namespace {

double accuracy(const numerics::GradientBoosting& model, const MatrixRef& codes,
                const VectorRef& factor, const std::vector<double>& values) {
  const IndexVector predicted = model.classify(codes);
  Index hits = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i)
    hits += values[static_cast<std::size_t>(predicted[i])] == factor[static_cast<Index>(i)];
  return static_cast<double>(hits) / static_cast<double>(predicted.size());
}

}  // namespace

DciFit dci_boosting(const MatrixRef& train_codes, const MatrixRef& train_factors,
                    const MatrixRef& test_codes, const MatrixRef& test_factors,
                    const numerics::BoostingOptions& options) {
  constexpr const char* kName = "dci_boosting";
  detail::require_codes_and_factors(kName, train_codes, train_factors, "train_codes",
                                    "train_factors");
  detail::require_codes_and_factors(kName, test_codes, test_factors, "test_codes", "test_factors");
  if (train_codes.cols() != test_codes.cols() || train_factors.cols() != test_factors.cols())
    numerics::refuse(kName,
                     "test_codes and test_factors need as many columns as the training ones");
  const numerics::SortedFeatures sorted(train_codes);
  const FactorLevels levels = factor_levels(kName, train_factors);
  DciFit out;
  out.importance = Matrix::Zero(train_codes.cols(), train_factors.cols());
  out.by_factor = Vector::Zero(train_factors.cols());
  const auto factors = static_cast<double>(train_factors.cols());
  for (Index k = 0; k < train_factors.cols(); ++k) {
    const auto& values = levels.values[static_cast<std::size_t>(k)];
    if (values.size() == 1) {
      out.by_factor[k] = (test_factors.col(k).array() == values[0]).cast<double>().mean();
      out.informativeness_train += 1.0 / factors;
      continue;
    }
    const auto& level = levels.levels[static_cast<std::size_t>(k)];
    const auto model = numerics::GradientBoosting::classification(
        sorted, {level.begin(), level.end()}, static_cast<Index>(values.size()), options);
    out.importance.col(k) = model.importance();
    out.informativeness_train +=
        accuracy(model, train_codes, train_factors.col(k), values) / factors;
    out.by_factor[k] = accuracy(model, test_codes, test_factors.col(k), values);
  }
  out.dci = dci_from_importance(out.importance);
  out.informativeness = out.by_factor.mean();
  return out;
}

DciFit dci_forest(const MatrixRef& codes, const MatrixRef& factors,
                  const numerics::ForestOptions& options) {
  detail::require_codes_and_factors("dci_forest", codes, factors);
  DciFit out;
  out.importance = Matrix::Zero(codes.cols(), factors.cols());
  out.by_factor.resize(factors.cols());
  for (Index k = 0; k < factors.cols(); ++k) {
    numerics::ForestOptions own = options;
    own.seed = options.seed + 0x632be59bd9b4e019ULL * static_cast<std::uint64_t>(k + 1);
    const numerics::ForestFit fit = numerics::random_forest(codes, factors.col(k), own);
    out.importance.col(k) = fit.importance;
    out.by_factor[k] = fit.out_of_bag_r2;
  }
  out.dci = dci_from_importance(out.importance);
  out.informativeness = out.by_factor.mean();
  return out;
}

DciFit dci_regression(const MatrixRef& features, const MatrixRef& targets, std::uint64_t seed,
                      const numerics::BoostingOptions& options) {
  constexpr const char* kName = "dci_regression";
  detail::require_codes_and_factors(kName, features, targets, "features", "targets");
  const Index n = features.rows();
  if (n < 10)
    numerics::refuse(kName, "features has " + std::to_string(n) + " rows; needs at least 10");
  IndexVector order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  numerics::Random random(seed, 19);
  random.shuffle(order);
  const Index held_out = (n + 9) / 10;
  const IndexVector test(order.begin(), order.begin() + held_out),
      train(order.begin() + held_out, order.end());
  const Matrix train_x = features(train, Eigen::all), test_x = features(test, Eigen::all);
  const numerics::SortedFeatures sorted(train_x);
  DciFit out;
  out.importance = Matrix::Zero(features.cols(), targets.cols());
  out.by_factor.resize(targets.cols());
  for (Index k = 0; k < targets.cols(); ++k) {
    const Vector target = targets(train, k), truth = targets(test, k);
    if ((truth.array() == truth[0]).all())
      throw std::domain_error("dci_regression: target " + std::to_string(k) +
                              " is constant on the held-out rows, so its R^2 is not defined");
    const auto r2 = [](const Vector& wanted, const Vector& got) {
      return 1.0 - (wanted - got).squaredNorm() / (wanted.array() - wanted.mean()).square().sum();
    };
    const auto model = numerics::GradientBoosting::regression(sorted, target, options);
    out.importance.col(k) = model.importance();
    out.by_factor[k] = r2(truth, model.predict(test_x));
    out.informativeness_train +=
        r2(target, model.predict(train_x)) / static_cast<double>(targets.cols());
  }
  out.dci = dci_from_importance(out.importance);
  out.informativeness = out.by_factor.mean();
  return out;
}

}  // namespace conoscope::metrics
