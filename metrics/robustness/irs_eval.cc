#include "metrics/robustness/irs_eval.h"

#include <algorithm>
#include <string>

#include "metrics/catalogue.h"
#include "metrics/disentanglement/latent_factors.h"
#include "metrics/robustness/irs.h"
#include "metrics/robustness/irs_matrix.h"
#include "metrics/score.h"

namespace conoscope::metrics {

namespace {

using detail::none, detail::not_applicable, detail::number;

constexpr const char* kScore = "irs_score";
constexpr const char* kCoverage = "irs_coverage";
constexpr const char* kQuantile = "irs_quantile";
constexpr const char* kDomain = "irs_domain_shift";
constexpr const char* kActive = "irs_active_latents";

std::vector<double> active_rows(const IrsMatrix& result) {
  std::vector<double> out;
  for (Index l = 0; l < result.irs.rows(); ++l)
    for (Index k = 0; result.defined(l) && k < result.irs.cols(); ++k)
      out.push_back(result.irs(l, k));
  return out;
}

std::vector<double> active_entries(const IrsMatrix& result) {
  std::vector<double> out;
  for (Index l = 0; l < result.irs.rows(); ++l)
    if (result.defined(l)) out.push_back(result.disentanglement[l]);
  return out;
}

}  // namespace

std::vector<Score> irs_eval(const Views& subject) {
  std::string lacking = detail::lacks_latent_factors(subject);
  detail::LatentFactors sample;
  if (lacking.empty()) {
    sample = detail::latent_factors("irs_eval", subject);
    if (sample.factors.cols() < 2)
      lacking = "needs at least two factors that vary, there are " +
                std::to_string(sample.factors.cols());
  }
  std::vector<Score> scores;
  if (!lacking.empty()) {
    for (const char* name : {kScore, kCoverage, kQuantile, kDomain, kActive})
      scores.push_back(not_applicable(name, lacking));
    return scores;
  }

  const IrsMatrix result = irs_matrix(sample.codes, sample.binned);
  const auto add = [&](Score score) {
    if (score.message.empty()) score.message = sample.message;
    scores.push_back(std::move(score));
  };
  if (result.active == 0) {
    for (const char* name : {kScore, kCoverage, kQuantile, kDomain})
      add(none(name, "undefined", "all latents are constant"));
    add(number(kActive, 0.0));
    return scores;
  }
  add(number(kScore, result.score, active_rows(result)));
  add(number(kCoverage, result.coverage));
  const IrsMatrix quantile = irs_quantile(sample.codes, sample.factors);
  add(number(kQuantile, quantile.score, active_entries(quantile)));

  const FactorCells cells = factor_cells(sample.codes, sample.binned);
  IndexVector all;
  for (Index l = 0; l < cells.latents(); ++l) all.push_back(l);
  std::vector<double> by_factor;
  for (Index k = 0; k < cells.factors(); ++k)
    by_factor.push_back(domain_shift_robustness(cells, all, {k}).value.value());
  const double worst = *std::min_element(by_factor.begin(), by_factor.end());
  add(number(kDomain, worst, std::move(by_factor)));
  add(number(kActive, static_cast<double>(result.active)));
  return scores;
}

std::vector<Metric> declare::irs() {
  constexpr auto kHigher = Direction::kHigher, kNone = Direction::kNone;
  const std::vector<std::string_view> needs{"latent_view", "factors"};
  constexpr std::string_view kPaper = "Suter et al., ICML 2019, Sec. 4 and Algorithm 1";
  return from_pass<metrics::irs_eval>({
      {kScore, "irs", "Does each latent keep its value when all factors but its own change?",
       kHigher, -1.0, 1.0, "", kPaper, needs},
      {kCoverage, "irs", "What part of the factor combinations that it averages over was seen?",
       kNone, 0.0, 1.0, "", "Suter et al., ICML 2019, Eq. 7: the sum of its weights", needs},
      {kQuantile, "irs", "The same as disentanglement_lib has it: samples, quantiles, bins",
       kHigher, -1.0, 1.0, "", "google-research/disentanglement_lib, irs; Suter et al., 2019",
       needs},
      {kDomain, "irs", "How much of the code survives the worst single factor changing?", kHigher,
       -1.0, 1.0, "", "Suter et al., ICML 2019, robustness to domain shift", needs},
      {kActive, "irs", "How many latents are not constant?", kNone, 0.0, kUnbounded, "", kPaper,
       needs},
  });
}

}  // namespace conoscope::metrics
