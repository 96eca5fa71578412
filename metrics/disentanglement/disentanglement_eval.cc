#include "metrics/disentanglement/disentanglement_eval.h"

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "metrics/catalogue.h"
#include "metrics/disentanglement/code_information.h"
#include "metrics/disentanglement/dci_models.h"
#include "metrics/disentanglement/explicitness.h"
#include "metrics/disentanglement/latent_factors.h"
#include "metrics/disentanglement/mig.h"
#include "metrics/disentanglement/modularity.h"
#include "metrics/disentanglement/r4.h"
#include "metrics/disentanglement/sap.h"
#include "metrics/disentanglement/vae_scores.h"
#include "metrics/score.h"

namespace conoscope::metrics {

namespace {

using detail::none, detail::not_applicable, detail::number;

constexpr Index kLeastSamples = 30;

std::vector<double> list(const Vector& values) {
  return {values.data(), values.data() + values.size()};
}

/// What the metrics are computed from.
struct Data {
  Matrix train_codes, test_codes, codes;  // codes: both, training rows first
  Matrix train_binned, test_binned, binned;
  Matrix factors;
  std::uint64_t seed = 0;
};

Data data_of(const detail::LatentFactors& sample, std::uint64_t seed) {
  const detail::RowSplit rows = detail::split_rows(sample.codes.rows(), seed);
  IndexVector all = rows.train;
  all.insert(all.end(), rows.test.begin(), rows.test.end());
  return {sample.codes(rows.train, Eigen::all), sample.codes(rows.test, Eigen::all),
          sample.codes(all, Eigen::all),        sample.binned(rows.train, Eigen::all),
          sample.binned(rows.test, Eigen::all), sample.binned(all, Eigen::all),
          sample.factors(all, Eigen::all),      seed};
}

/// Metrics that come out of one computation.
struct Member {
  std::vector<const char*> names;
  Index least_codes, least_factors;
  std::function<std::vector<Score>(const Data&)> compute;
};

std::vector<Score> dci_scores(const std::string& prefix, const DciFit& fit) {
  if (fit.importance.isZero(0.0))
    throw std::domain_error(prefix + "*: no tree has a split, so no code has an importance");
  return {number(prefix + "disentanglement", fit.dci.disentanglement, list(fit.dci.by_code)),
          number(prefix + "completeness", fit.dci.completeness, list(fit.dci.by_factor)),
          number(prefix + "informativeness", fit.informativeness, list(fit.by_factor))};
}

const std::vector<Member>& members() {
  static const std::vector<Member> all{
      {{"mig"},
       2,
       1,
       [](const Data& d) -> std::vector<Score> {
         const Mig result = mig(code_information(d.codes, d.binned));
         return {number("mig", result.value, result.by_factor)};
       }},
      {{"mig_ross"},
       2,
       1,
       [](const Data& d) -> std::vector<Score> {
         const Mig result = mig(code_information(d.codes, d.factors, {20, 20}));
         return {number("mig_ross", result.value, result.by_factor)};
       }},
      {{"modularity"},
       1,
       2,
       [](const Data& d) -> std::vector<Score> {
         const Modularity result =
             modularity(code_information(d.codes, d.binned).mutual_information);
         return {number("modularity", result.value, result.by_code)};
       }},
      {{"sap_discrete"},
       2,
       1,
       [](const Data& d) -> std::vector<Score> {
         const Sap result =
             sap_discrete(d.train_codes, d.train_binned, d.test_codes, d.test_binned);
         return {number("sap_discrete", result.value, result.by_factor)};
       }},
      {{"sap_continuous"},
       2,
       1,
       [](const Data& d) -> std::vector<Score> {
         const Sap result = sap_continuous(d.codes, d.factors);
         return {number("sap_continuous", result.value, result.by_factor)};
       }},
      {{"sap_ross"},
       2,
       1,
       [](const Data& d) -> std::vector<Score> {
         const Sap result = sap_ross(d.codes, d.factors);
         return {number("sap_ross", result.value, result.by_factor)};
       }},
      {{"explicitness"},
       1,
       1,
       [](const Data& d) -> std::vector<Score> {
         const Explicitness result =
             explicitness(d.train_codes, d.train_binned, d.test_codes, d.test_binned);
         return {number("explicitness", result.value, list(result.by_factor))};
       }},
      {{"dci_disentanglement", "dci_completeness", "dci_informativeness"},
       2,
       2,
       [](const Data& d) {
         return dci_scores(
             "dci_", dci_boosting(d.train_codes, d.train_binned, d.test_codes, d.test_binned));
       }},
      {{"dci_forest_disentanglement", "dci_forest_completeness", "dci_forest_informativeness"},
       2,
       2,
       [](const Data& d) {
         return dci_scores("dci_forest_", dci_forest(d.codes, d.binned, {.seed = d.seed}));
       }},
      {{"r4"},
       1,
       1,
       [](const Data& d) -> std::vector<Score> {
         const R4 result = r4(d.factors, d.codes, r4_splits(d.codes.rows(), d.seed));
         return {number("r4", result.value, list(result.by_factor))};
       }},
      {{"factor_vae_score"},
       1,
       2,
       [](const Data& d) -> std::vector<Score> {
         return {number(
             "factor_vae_score",
             factor_vae_score(d.codes, d.binned.cols(), factor_vae_draws(d.binned, d.seed)).value)};
       }},
      {{"beta_vae_score"},
       1,
       2,
       [](const Data& d) -> std::vector<Score> {
         return {number(
             "beta_vae_score",
             beta_vae_score(d.codes, d.binned.cols(), beta_vae_draws(d.binned, d.seed)).value)};
       }},
  };
  return all;
}

std::string too_few(const Member& member, const detail::LatentFactors& sample) {
  if (sample.codes.rows() < kLeastSamples)
    return "needs at least " + std::to_string(kLeastSamples) + " samples, there are " +
           std::to_string(sample.codes.rows());
  if (sample.codes.cols() < member.least_codes)
    return "needs at least " + std::to_string(member.least_codes) + " codes, there are " +
           std::to_string(sample.codes.cols());
  if (sample.factors.cols() < member.least_factors)
    return "needs at least " + std::to_string(member.least_factors) +
           " factors that vary, there are " + std::to_string(sample.factors.cols());
  return "";
}

}  // namespace

std::vector<Score> disentanglement_eval(const Views& subject) {
  const std::string lacking = detail::lacks_latent_factors(subject);
  std::vector<Score> scores;
  detail::LatentFactors sample;
  Data data;
  if (lacking.empty()) {
    sample = detail::latent_factors("disentanglement_eval", subject);
    data = data_of(sample, subject.seed);
  }
  for (const Member& member : members()) {
    const std::string why = lacking.empty() ? too_few(member, sample) : lacking;
    if (!why.empty()) {
      for (const char* name : member.names) scores.push_back(not_applicable(name, why));
      continue;
    }
    try {
      for (Score& score : member.compute(data)) {
        score.message = sample.message;
        scores.push_back(std::move(score));
      }
    } catch (const std::domain_error& error) {
      for (const char* name : member.names) scores.push_back(none(name, "undefined", error.what()));
    }
  }
  return scores;
}

std::vector<Metric> declare::disentanglement() {
  constexpr auto kHigher = Direction::kHigher;
  constexpr std::string_view kGroup = "disentanglement";
  const std::vector<std::string_view> needs{"latent_view", "factors"};
  const auto row = [&](const char* name, double low, const char* question,
                       std::string_view citation) {
    return Metric{std::string(name), kGroup, question, kHigher, low, 1.0, "", citation, needs};
  };
  constexpr std::string_view kDci = "Eastwood and Williams, ICLR 2018; as in disentanglement_lib";
  constexpr std::string_view kForest =
      "Eastwood and Williams, ICLR 2018; as in Suter et al., ICML 2019, appendix D";
  return from_pass<metrics::disentanglement_eval>({
      row("mig", 0.0, "Is each factor told by one code and by no other?",
          "Chen et al., NeurIPS 2018; as in disentanglement_lib"),
      row("mig_ross", 0.0, "The same with factors in 20 bins, too",
          "Ross and Doshi-Velez, ICML 2021"),
      row("modularity", 0.0, "Does each code tell of one factor only?",
          "Ridgeway and Mozer, NeurIPS 2018"),
      row("sap_discrete", 0.0, "Is each factor classified by one code far better than others?",
          "Kumar et al., ICLR 2018; as in disentanglement_lib"),
      row("sap_continuous", 0.0, "Does each factor correlate with one code and no other?",
          "Kumar et al., ICLR 2018; as in disentanglement_lib"),
      row("sap_ross", 0.0, "The gap on the training data; correlations if not categorical",
          "Kumar et al., ICLR 2018; as in Ross and Doshi-Velez, ICML 2021"),
      row("explicitness", 0.0, "Can a linear classifier tell every value of every factor?",
          "Ridgeway and Mozer, NeurIPS 2018"),
      row("dci_disentanglement", 0.0, "Does each code serve one factor only?", kDci),
      row("dci_completeness", 0.0, "Is each factor served by one code only?", kDci),
      row("dci_informativeness", 0.0, "How often do all codes together give the factors?", kDci),
      row("dci_forest_disentanglement", 0.0, "The same with a forest of random trees", kForest),
      row("dci_forest_completeness", 0.0, "The same with a forest of random trees", kForest),
      row("dci_forest_informativeness", -kUnbounded,
          "How much of the factors' variance does the forest explain, out of bag?", kForest),
      row("r4", 0.0, "Is each factor a bijection of some code?", "Ross and Doshi-Velez, ICML 2021"),
      row("factor_vae_score", 0.0, "Does a code stand still exactly when its factor does?",
          "Kim and Mnih, ICML 2018; as in disentanglement_lib"),
      row("beta_vae_score", 0.0,
          "Can a linear classifier tell which factor pairs of samples share?",
          "Higgins et al., ICLR 2017; as in disentanglement_lib"),
  });
}

}  // namespace conoscope::metrics
