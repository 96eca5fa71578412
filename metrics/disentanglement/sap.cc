// SPDX-License-Identifier: Apache-2.0
#include "metrics/disentanglement/sap.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>

#include "metrics/disentanglement/best_two.h"
#include "metrics/disentanglement/latent_sample.h"
#include "metrics/factors/factor_levels.h"
#include "metrics/metric.h"
#include "numerics/checks.h"
#include "numerics/linear_svm.h"

namespace conoscope::metrics {

namespace {

void require_gap(const char* metric, const MatrixRef& codes) {
  if (codes.cols() < 2)
    numerics::refuse(metric, "codes has " + std::to_string(codes.cols()) +
                                 " columns; needs at least 2 for a gap");
}

Sap conclude(Matrix scores) {
  Sap out;
  out.scores = std::move(scores);
  for (Index k = 0; k < out.scores.cols(); ++k) {
    const auto [best, second] = detail::best_two(out.scores.col(k));
    out.by_factor.push_back(best - second);
    out.value += (best - second) / static_cast<double>(out.scores.cols());
  }
  return out;
}

/// Accuracy of every code for one factor.
Vector svm_accuracies(const MatrixRef& train_codes, const VectorRef& train_factor,
                      const MatrixRef& test_codes, const VectorRef& test_factor) {
  const Matrix column = train_factor;
  const FactorLevels levels = factor_levels("sap", column);
  const auto& values = levels.values[0];
  const IndexVector labels(levels.levels[0].begin(), levels.levels[0].end());
  Vector out(train_codes.cols());
  for (Index j = 0; j < train_codes.cols(); ++j) {
    numerics::LinearSvm svm{{0.0}, {0.0}};
    if (values.size() > 1)
      svm = numerics::linear_svm(train_codes.col(j), labels, static_cast<Index>(values.size()));
    Index hits = 0;
    for (Index i = 0; i < test_codes.rows(); ++i)
      hits += values[static_cast<std::size_t>(svm.predict(test_codes(i, j)))] == test_factor[i];
    out[j] = static_cast<double>(hits) / static_cast<double>(test_codes.rows());
  }
  return out;
}

/// 0 for a code of a single value, or of a variance of at most `least_variance`.
double squared_correlation(const char* metric, const VectorRef& code, const VectorRef& factor,
                           double least_variance) {
  const Vector a = code.array() - code.mean(), b = factor.array() - factor.mean();
  if ((factor.array() == factor[0]).all())
    throw std::domain_error(std::string(metric) +
                            ": factors has a column with a single value, which nothing predicts");
  const double variance = a.squaredNorm() / static_cast<double>(a.size());
  if (variance <= least_variance || (code.array() == code[0]).all()) return 0.0;
  const double r = a.dot(b) / (a.norm() * b.norm());
  return r * r;
}

}  // namespace

bool is_categorical(const VectorRef& factor) {
  std::set<double> values;
  for (Index i = 0; i < factor.size(); ++i) {
    if (factor[i] != std::floor(factor[i])) return false;
    values.insert(factor[i]);
    if (values.size() > 10) return false;
  }
  return true;
}

Sap sap_discrete(const TrainAndTest& samples) {
  const auto& [train_codes, train_factors] = samples.train;
  const auto& [test_codes, test_factors] = samples.test;
  require_gap("sap_discrete", train_codes);
  Matrix scores(train_codes.cols(), train_factors.cols());
  for (Index k = 0; k < train_factors.cols(); ++k)
    scores.col(k) =
        svm_accuracies(train_codes, train_factors.col(k), test_codes, test_factors.col(k));
  return conclude(std::move(scores));
}

Sap sap_20_80(const CodesAndFactors& sample) {
  const auto& [codes, factors] = sample;
  const Index train = (codes.rows() + 4) / 5, test = codes.rows() - train;
  if (test < 1)
    numerics::refuse("sap_20_80", "there is one row; needs at least 2, one of them to test");
  return sap_discrete({codes.topRows(train), factors.topRows(train), codes.bottomRows(test),
                       factors.bottomRows(test)});
}

Sap sap_continuous(const CodesAndFactors& sample) {
  const auto& [codes, factors] = sample;
  require_gap("sap_continuous", codes);
  Matrix scores(codes.cols(), factors.cols());
  for (Index k = 0; k < factors.cols(); ++k)
    for (Index j = 0; j < codes.cols(); ++j)
      scores(j, k) = squared_correlation("sap_continuous", codes.col(j), factors.col(k), 1e-12);
  return conclude(std::move(scores));
}

Sap sap_ross(const CodesAndFactors& sample) {
  const auto& [codes, factors] = sample;
  require_gap("sap_ross", codes);
  Matrix scores(codes.cols(), factors.cols());
  for (Index k = 0; k < factors.cols(); ++k) {
    const Vector factor = factors.col(k);
    if ((factor.array() == factor[0]).all())
      throw std::domain_error("sap_ross: factors has a column with a single value (number " +
                              std::to_string(k) + "), which every code predicts");
    if (is_categorical(factor)) {
      scores.col(k) = svm_accuracies(codes, factor, codes, factor);
      continue;
    }
    for (Index j = 0; j < codes.cols(); ++j)
      scores(j, k) = squared_correlation("sap_ross", codes.col(j), factor, 0.0);
  }
  return conclude(std::move(scores));
}

std::vector<Metric> declare::sap() {
  constexpr std::string_view kLib = "Kumar et al., ICLR 2018; as in disentanglement_lib";
  const auto result = [](const Sap& found) -> Result { return {found.value, found.by_factor}; };
  Metric first_fifth = latent_metric(
      "sap_20_80",
      "Does one code classify each factor far better than any other code does, trained on the "
      "first "
      "fifth of the rows?",
      "Kumar et al., ICLR 2018; as in Espinosa Zarlenga et al., AAAI 2023, Table 1",
      {.codes = 2, .factors = 1}, "factor", [result](const Subject& subject, const LatentSample&) {
        const LatentFactors& from = subject.once(latent_factors);
        return result(sap_20_80({from.codes, from.binned}));
      });
  first_fifth.on_request = true;
  return {
      latent_metric("sap_discrete",
                    "Does one code classify each factor far better than any other code does?", kLib,
                    {.codes = 2, .factors = 1}, "factor",
                    [result](const Subject&, const LatentSample& s) {
                      return result(sap_discrete(s.split));
                    }),
      latent_metric("sap_continuous", "Does each factor correlate with one code and with no other?",
                    kLib, {.codes = 2, .factors = 1}, "factor",
                    [result](const Subject&, const LatentSample& s) {
                      return result(sap_continuous(s.annotated));
                    }),
      latent_metric(
          "sap_ross",
          "Does one code predict each factor far better than any other, on the training data?",
          "Kumar et al., ICLR 2018; as in Ross and Doshi-Velez, ICML 2021",
          {.codes = 2, .factors = 1}, "factor",
          [result](const Subject&, const LatentSample& s) {
            return result(sap_ross(s.annotated));
          }),
      first_fifth,
  };
}

}  // namespace conoscope::metrics
