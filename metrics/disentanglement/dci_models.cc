// SPDX-License-Identifier: Apache-2.0
#include "metrics/disentanglement/dci_models.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "metrics/disentanglement/dci.h"
#include "metrics/disentanglement/latent_sample.h"
#include "metrics/factors/factor_levels.h"
#include "metrics/metric.h"
#include "numerics/checks.h"
#include "numerics/random_forest.h"

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

void require_two(const char* function, const CodesAndFactors& sample) {
  if (sample.codes.cols() < 2 || sample.factors.cols() < 2)
    numerics::refuse(function, std::to_string(sample.codes.cols()) + " codes and " +
                                   std::to_string(sample.factors.cols()) +
                                   " factors; needs at least 2 of either");
}

}  // namespace

DciFit dci_boosting(const TrainAndTest& samples, const numerics::BoostingOptions& options) {
  constexpr const char* kName = "dci_boosting";
  require_two(kName, samples.train);
  const auto& [train_codes, train_factors] = samples.train;
  const auto& [test_codes, test_factors] = samples.test;
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
  out.informativeness = out.by_factor.mean();
  return out;
}

ExchangedDci dci_exchanged(const TrainAndTest& samples, const numerics::BoostingOptions& options) {
  require_two("dci_exchanged", samples.train);
  const auto& [train_codes, train_factors] = samples.train;
  const auto& [test_codes, test_factors] = samples.test;
  const numerics::SortedFeatures sorted(train_factors);
  ExchangedDci out{Matrix(train_factors.cols(), train_codes.cols()),
                   Vector::Zero(train_codes.cols())};
  for (Index l = 0; l < train_codes.cols(); ++l) {
    const auto model = numerics::GradientBoosting::regression(sorted, train_codes.col(l), options);
    out.importance.col(l) = model.importance();
    const Vector code = test_codes.col(l);
    if ((code.array() == code[0]).all()) continue;
    out.r2[l] = 1.0 - (code - model.predict(test_factors)).squaredNorm() /
                          (code.array() - code.mean()).square().sum();
  }
  return out;
}

DciFit dci_forest(const CodesAndFactors& sample, const DciForestOptions& options) {
  constexpr const char* kName = "dci_forest";
  require_two(kName, sample);
  if (!(options.min_leaf_share > 0.0 && options.min_leaf_share <= 1.0))
    numerics::refuse(kName, "min_leaf_share is " + std::to_string(options.min_leaf_share) +
                                "; needs to be above 0 and at most 1");
  if (options.min_leaf < 0)
    numerics::refuse(kName,
                     "min_leaf is " + std::to_string(options.min_leaf) + "; needs to be >= 0");
  const auto& [codes, factors] = sample;
  const auto share =
      static_cast<Index>(std::lround(options.min_leaf_share * static_cast<double>(codes.rows())));
  numerics::ForestOptions own{
      .trees = options.trees,
      .min_leaf = options.min_leaf > 0 ? options.min_leaf : std::max(share, Index{1})};
  DciFit out;
  out.importance = Matrix::Zero(codes.cols(), factors.cols());
  out.by_factor.resize(factors.cols());
  for (Index k = 0; k < factors.cols(); ++k) {
    own.seed = options.seed + 0x632be59bd9b4e019ULL * static_cast<std::uint64_t>(k + 1);
    const numerics::ForestFit fit = numerics::random_forest(codes, factors.col(k), own);
    out.importance.col(k) = fit.importance;
    out.by_factor[k] = fit.out_of_bag_r2;
  }
  out.informativeness = out.by_factor.mean();
  return out;
}

namespace {

constexpr LatentNeeds kAtLeast{.codes = 2, .factors = 2};

DciFit with_splits(DciFit fit, const std::string& why = {}) {
  if (fit.importance.isZero(0.0))
    throw std::domain_error("no tree has a split, so no code has an importance" + why);
  return fit;
}

DciFit boosting_fit(const Subject& subject) {
  const LatentSample& s = latent_sample(subject, kAtLeast);
  return with_splits(dci_boosting(s.split));
}

Result result_of(double value, const Vector& parts) {
  return {value, {parts.begin(), parts.end()}};
}

Result disentanglement_of(const DciFit& fit) {
  const DciScore found = dci_disentanglement(fit.importance);
  return result_of(found.value, found.each);
}

Result completeness_of(const DciFit& fit) {
  const DciScore found = dci_completeness(fit.importance);
  return result_of(found.value, found.each);
}

/// Nine tenths of the rows train: those of the sample, in its drawn order.
Result exchanged_of(const Subject&, const LatentSample& s) {
  const auto& [codes, factors] = s.annotated;
  const Index test = codes.rows() / 10, train = codes.rows() - test;
  const ExchangedDci fit = dci_exchanged({codes.topRows(train), factors.topRows(train),
                                          codes.bottomRows(test), factors.bottomRows(test)});
  if (fit.importance.isZero(0.0))
    throw std::domain_error("no tree has a split, so no factor has an importance");
  const DciScore found = dci_disentanglement(fit.importance);
  return result_of(found.value, found.each);
}

Result informativeness_of(const DciFit& fit) {
  return result_of(fit.informativeness, fit.by_factor);
}

}  // namespace

DciFit latent_forest(const Subject& subject) {
  const LatentSample& s = latent_sample(subject, kAtLeast);
  return with_splits(dci_forest(s.binned, {.seed = subject.seed()}));
}

namespace {

DciFit forest_of_leaves(const Subject& subject, Index min_leaf) {
  const LatentSample& s = latent_sample(subject, kAtLeast);
  // A tree sees about 1 - 1/e of the rows, and needs two leaves' worth of them for a split.
  const auto enough =
      static_cast<Index>(2.0 * static_cast<double>(min_leaf) / (1.0 - std::exp(-1.0)));
  return with_splits(dci_forest(s.binned, {.min_leaf = min_leaf, .seed = subject.seed()}),
                     ": leaves hold at least " + std::to_string(min_leaf) +
                         " different rows, so it takes about " + std::to_string(enough) +
                         " rows, and there are " + std::to_string(s.binned.codes.rows()));
}

}  // namespace

std::vector<Metric> declare::dci_models() {
  const auto parts_of = [](Result (*read)(const DciFit&)) {
    return read == disentanglement_of ? "code" : "factor";
  };
  const auto row = [parts_of](const char* name, const char* question,
                              Result (*read)(const DciFit&)) {
    return latent_metric(name, question,
                         "Eastwood and Williams, ICLR 2018; as in disentanglement_lib", kAtLeast,
                         parts_of(read), [read](const Subject& subject, const LatentSample&) {
                           return read(subject.once(boosting_fit));
                         });
  };
  const auto forest_row = [parts_of](const char* name, const char* question,
                                     Result (*read)(const DciFit&)) {
    return latent_metric(
        name, question,
        "Eastwood and Williams, ICLR 2018; as in Suter et al., ICML 2019, appendix D", kAtLeast,
        parts_of(read),
        [read](const Subject& subject, const LatentSample&) {
          return read(subject.once(latent_forest));
        },
        {{.name = "min_leaf", .value = 500, .unnamed = "the share 500/737280 of the rows"}},
        [read](const Subject& subject, const LatentSample&, const std::vector<Setting>& settings) {
          return read(forest_of_leaves(subject, settings[0].value));
        });
  };
  Metric explained = forest_row(
      "dci_forest_informativeness",
      "How much of the factors' variance does a random forest on the codes explain, out of bag?",
      informativeness_of);
  explained.low = -kUnbounded;
  return {
      row("dci_disentanglement",
          "Does each code matter for one factor only, by the importances of gradient boosting?",
          disentanglement_of),
      row("dci_completeness",
          "Does each factor depend on one code only, by the importances of gradient boosting?",
          completeness_of),
      row("dci_informativeness",
          "How often does gradient boosting on all codes predict a factor's value correctly?",
          informativeness_of),
      latent_metric("dci_exchanged",
                    "Does each factor matter for one code only, by the importances of boosted "
                    "regressors that predict the codes?",
                    "Espinosa Zarlenga et al., AAAI 2023, Table 1: DCI as in Ross and "
                    "Doshi-Velez, ICML 2021, codes and concepts exchanged",
                    kAtLeast, "factor", exchanged_of),
      forest_row(
          "dci_forest_disentanglement",
          "Does each code matter for one factor only, by the importances of a random forest?",
          disentanglement_of),
      forest_row("dci_forest_completeness",
                 "Does each factor depend on one code only, by the importances of a random forest?",
                 completeness_of),
      explained,
  };
}

}  // namespace conoscope::metrics
