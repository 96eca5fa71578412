// SPDX-License-Identifier: Apache-2.0
#include "metrics/disentanglement/mig.h"

#include <stdexcept>
#include <string>

#include "metrics/disentanglement/best_two.h"
#include "metrics/disentanglement/latent_sample.h"
#include "metrics/left_out.h"
#include "metrics/metric.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

Mig mig(const CodeInformation& information) {
  const Matrix& mutual = information.mutual_information;
  if (mutual.rows() < 2)
    numerics::refuse("mig", "codes has " + std::to_string(mutual.rows()) +
                                " columns; needs at least 2 for a gap");
  if (mutual.cols() != information.factor_entropy.size())
    numerics::refuse("mig", "factor_entropy has " +
                                std::to_string(information.factor_entropy.size()) +
                                " entries for " + std::to_string(mutual.cols()) + " factors");
  Mig out;
  double sum = 0.0;
  for (Index k = 0; k < mutual.cols(); ++k) {
    if (!(information.factor_entropy[k] > 0.0)) {
      out.dropped.push_back(k);
      continue;
    }
    const auto [best, second] = detail::best_two(mutual.col(k));
    out.by_factor.push_back((best - second) / information.factor_entropy[k]);
    sum += out.by_factor.back();
  }
  if (out.by_factor.empty())
    throw std::domain_error("mig: every factor has a single value, so there is nothing to tell");
  out.value = sum / static_cast<double>(out.by_factor.size());
  return out;
}

Mig mig_ross(const CodesAndFactors& sample) {
  return mig(code_information(sample, {.code_bins = 20, .factor_bins = 20}));
}

std::vector<Metric> declare::mig() {
  const auto result = [](const Mig& found) -> Result {
    Result out{found.value, with_gaps(found.by_factor, found.dropped)};
    if (!found.dropped.empty())
      out.caveat = left_out(static_cast<Index>(found.dropped.size()), "factor",
                            "a single value in the samples that were drawn");
    return out;
  };
  return {
      latent_metric("mig", "Is each factor captured by one code and by no other?",
                    "Chen et al., NeurIPS 2018; as in disentanglement_lib",
                    {.codes = 2, .factors = 1}, "factor",
                    [result](const Subject& subject, const LatentSample&) {
                      return result(metrics::mig(subject.once(latent_information)));
                    }),
      latent_metric("mig_ross", "Is each factor, in 20 bins, captured by one code and by no other?",
                    "Ross and Doshi-Velez, ICML 2021", {.codes = 2, .factors = 1}, "factor",
                    [result](const Subject&, const LatentSample& s) {
                      return result(mig_ross(s.annotated));
                    }),
  };
}

}  // namespace conoscope::metrics
