// SPDX-License-Identifier: Apache-2.0
#include "metrics/disentanglement/vae_scores.h"

#include <cmath>
#include <string>

#include "metrics/disentanglement/latent_sample.h"
#include "metrics/factors/factor_levels.h"
#include "metrics/metric.h"
#include "numerics/checks.h"
#include "numerics/logistic_regression.h"
#include "numerics/random.h"

namespace conoscope::metrics {

namespace {

void require_codes(const char* metric, const MatrixRef& codes) {
  if (codes.rows() < 1 || codes.cols() < 1)
    numerics::refuse(metric, "codes is " + numerics::shape_of(codes) + "; needs rows and columns");
  numerics::require_finite(metric, "codes", codes);
}

void require_rows(const char* metric, const char* argument, const IndexVector& rows, Index n,
                  std::size_t least) {
  if (rows.size() < least)
    numerics::refuse(metric, std::string(argument) + " has " + std::to_string(rows.size()) +
                                 " rows; needs at least " + std::to_string(least));
  for (const Index row : rows)
    if (row < 0 || row >= n)
      numerics::refuse(metric, std::string(argument) + " names row " + std::to_string(row) +
                                   ", outside 0 ... " + std::to_string(n - 1));
}

void require_factors(const char* metric, const IndexVector& list, Index factors) {
  for (const Index factor : list)
    if (factor < 0 || factor >= factors)
      numerics::refuse(metric, "draws names factor " + std::to_string(factor) + ", outside 0 ... " +
                                   std::to_string(factors - 1));
}

void require_parts(const char* metric, Index train, std::size_t batches) {
  if (train < 1 || static_cast<std::size_t>(train) >= batches)
    numerics::refuse(metric, "draws has " + std::to_string(batches) + " batches of which " +
                                 std::to_string(train) +
                                 " are for training; needs some of either kind");
}

Vector variance(const MatrixRef& codes, const IndexVector& rows) {
  const Matrix z = codes(rows, Eigen::all);
  const Eigen::RowVectorXd mean = z.colwise().mean();
  const Vector squares = (z.rowwise() - mean).array().square().colwise().sum().transpose();
  // Of a constant such as 0.1 the mean is rounded, and the squares are not 0.
  const auto constant = (z.colwise().minCoeff().array() == z.colwise().maxCoeff().array());
  return constant.transpose().select(0.0, squares / static_cast<double>(rows.size() - 1));
}

/// Rows by factor and value, to draw others that share a row's value.
struct Sharing {
  explicit Sharing(const char* metric, const MatrixRef& factors)
      : levels(factor_levels(metric, factors)) {
    for (std::size_t k = 0; k < levels.values.size(); ++k) {
      rows.emplace_back(levels.values[k].size());
      for (std::size_t i = 0; i < levels.levels[k].size(); ++i)
        rows[k][static_cast<std::size_t>(levels.levels[k][i])].push_back(static_cast<Index>(i));
    }
  }

  Index any(numerics::Random& random) const {
    return static_cast<Index>(random.below(static_cast<std::uint64_t>(levels.samples)));
  }
  Index like(Index row, std::size_t factor, numerics::Random& random) const {
    const auto level =
        static_cast<std::size_t>(levels.levels[factor][static_cast<std::size_t>(row)]);
    const IndexVector& same = rows[factor][level];
    return same[static_cast<std::size_t>(random.below(same.size()))];
  }

  FactorLevels levels;
  std::vector<std::vector<IndexVector>> rows;
};

void require_options(const char* metric, const VaeScoreOptions& options, Index least_batch) {
  if (options.train < 1 || options.test < 1 || options.batch < least_batch ||
      options.variance_rows < 2)
    numerics::refuse(metric, "options: train " + std::to_string(options.train) + ", test " +
                                 std::to_string(options.test) + ", batch " +
                                 std::to_string(options.batch) + ", variance_rows " +
                                 std::to_string(options.variance_rows) + " are too few");
}

}  // namespace

FactorVaeScore factor_vae_score(const MatrixRef& codes, Index factors, const FactorVaeDraws& draws,
                                double least_deviation) {
  constexpr const char* kName = "factor_vae_score";
  require_codes(kName, codes);
  require_rows(kName, "variance_rows", draws.variance_rows, codes.rows(), 2);
  if (draws.batches.size() != draws.fixed_factor.size())
    numerics::refuse(kName, "draws has " + std::to_string(draws.batches.size()) + " batches and " +
                                std::to_string(draws.fixed_factor.size()) + " fixed factors");
  require_factors(kName, draws.fixed_factor, factors);
  require_parts(kName, draws.train, draws.batches.size());

  FactorVaeScore out;
  out.variance = variance(codes, draws.variance_rows);
  IndexVector active;
  for (Index j = 0; j < codes.cols(); ++j) {
    const bool on = out.variance[j] > 0.0 && std::sqrt(out.variance[j]) >= least_deviation;
    out.active.push_back(on);
    if (on) active.push_back(j);
  }
  out.votes = Matrix::Zero(factors, codes.cols());
  if (active.empty()) return out;
  const Matrix kept = codes(Eigen::all, active);
  const Vector overall = out.variance(active);
  for (std::size_t t = 0; t < draws.batches.size(); ++t) {
    require_rows(kName, "batches", draws.batches[t], codes.rows(), 2);
    Index least = 0;
    (variance(kept, draws.batches[t]).array() / overall.array()).minCoeff(&least);
    out.least.push_back(least);
    if (static_cast<Index>(t) < draws.train) out.votes(draws.fixed_factor[t], least) += 1.0;
  }
  Index hits[2] = {0, 0};
  for (std::size_t t = 0; t < draws.batches.size(); ++t) {
    Index stands_for = 0;
    out.votes.col(out.least[t]).maxCoeff(&stands_for);
    hits[static_cast<Index>(t) < draws.train] += stands_for == draws.fixed_factor[t];
  }
  out.train = static_cast<double>(hits[1]) / static_cast<double>(draws.train);
  out.value = static_cast<double>(hits[0]) /
              static_cast<double>(static_cast<Index>(draws.batches.size()) - draws.train);
  return out;
}

FactorVaeDraws factor_vae_draws(const MatrixRef& factors, std::uint64_t seed,
                                const VaeScoreOptions& options) {
  require_options("factor_vae_draws", options, 2);
  const Sharing sharing("factor_vae_draws", factors);
  numerics::Random random(seed, 29);
  FactorVaeDraws out;
  out.train = options.train;
  for (Index i = 0; i < options.variance_rows; ++i)
    out.variance_rows.push_back(sharing.any(random));
  for (Index t = 0; t < options.train + options.test; ++t) {
    const auto factor =
        static_cast<std::size_t>(random.below(static_cast<std::uint64_t>(factors.cols())));
    out.fixed_factor.push_back(static_cast<Index>(factor));
    IndexVector batch{sharing.any(random)};
    while (static_cast<Index>(batch.size()) < options.batch)
      batch.push_back(sharing.like(batch[0], factor, random));
    out.batches.push_back(std::move(batch));
  }
  return out;
}

BetaVaeScore beta_vae_score(const MatrixRef& codes, Index factors, const BetaVaeDraws& draws) {
  constexpr const char* kName = "beta_vae_score";
  require_codes(kName, codes);
  if (factors < 2)
    numerics::refuse(kName, "factors is " + std::to_string(factors) + "; needs at least 2");
  const std::size_t batches = draws.label.size();
  if (draws.first.size() != batches || draws.second.size() != batches)
    numerics::refuse(kName, "draws has " + std::to_string(batches) + " labels, " +
                                std::to_string(draws.first.size()) + " first and " +
                                std::to_string(draws.second.size()) + " second batches");
  require_factors(kName, draws.label, factors);
  require_parts(kName, draws.train, batches);
  BetaVaeScore out;
  out.features.resize(static_cast<Index>(batches), codes.cols());
  for (std::size_t t = 0; t < batches; ++t) {
    require_rows(kName, "first", draws.first[t], codes.rows(), 1);
    require_rows(kName, "second", draws.second[t], codes.rows(), 1);
    if (draws.first[t].size() != draws.second[t].size())
      numerics::refuse(kName, "batch " + std::to_string(t) + " pairs " +
                                  std::to_string(draws.first[t].size()) + " rows with " +
                                  std::to_string(draws.second[t].size()));
    out.features.row(static_cast<Index>(t)) =
        (codes(draws.first[t], Eigen::all) - codes(draws.second[t], Eigen::all))
            .cwiseAbs()
            .colwise()
            .mean();
  }
  const IndexVector train_labels(draws.label.begin(), draws.label.begin() + draws.train);
  const numerics::LogisticRegression model =
      numerics::logistic_regression(out.features.topRows(draws.train), train_labels, factors);
  const IndexVector predicted = model.classify(out.features);
  Index hits[2] = {0, 0};
  for (std::size_t t = 0; t < batches; ++t)
    hits[static_cast<Index>(t) < draws.train] += predicted[t] == draws.label[t];
  out.train = static_cast<double>(hits[1]) / static_cast<double>(draws.train);
  out.value =
      static_cast<double>(hits[0]) / static_cast<double>(static_cast<Index>(batches) - draws.train);
  return out;
}

BetaVaeDraws beta_vae_draws(const MatrixRef& factors, std::uint64_t seed,
                            const VaeScoreOptions& options) {
  require_options("beta_vae_draws", options, 1);
  const Sharing sharing("beta_vae_draws", factors);
  numerics::Random random(seed, 31);
  BetaVaeDraws out;
  out.train = options.train;
  for (Index t = 0; t < options.train + options.test; ++t) {
    const auto factor =
        static_cast<std::size_t>(random.below(static_cast<std::uint64_t>(factors.cols())));
    out.label.push_back(static_cast<Index>(factor));
    IndexVector first, second;
    for (Index b = 0; b < options.batch; ++b) {
      first.push_back(sharing.any(random));
      second.push_back(sharing.like(first.back(), factor, random));
    }
    out.first.push_back(std::move(first));
    out.second.push_back(std::move(second));
  }
  return out;
}

std::vector<Metric> declare::vae_scores() {
  return {
      latent_metric(
          "factor_vae_score", "Does some code stay constant exactly when a factor does?",
          "Kim and Mnih, ICML 2018; as in disentanglement_lib", {.codes = 1, .factors = 2}, "",
          [](const Subject& subject, const LatentSample& s) -> Result {
            const auto draws = factor_vae_draws(s.binned.factors, subject.seed());
            return {factor_vae_score(s.binned.codes, s.binned.factors.cols(), draws).value};
          }),
      latent_metric(
          "beta_vae_score",
          "Can a linear classifier tell from the codes which factor the samples of a pair share?",
          "Higgins et al., ICLR 2017; as in disentanglement_lib", {.codes = 1, .factors = 2}, "",
          [](const Subject& subject, const LatentSample& s) -> Result {
            const auto draws = beta_vae_draws(s.binned.factors, subject.seed());
            return {beta_vae_score(s.binned.codes, s.binned.factors.cols(), draws).value};
          }),
  };
}

}  // namespace conoscope::metrics
