// SPDX-License-Identifier: Apache-2.0
#include "metrics/disentanglement/modularity.h"

#include <stdexcept>
#include <string>

#include "metrics/disentanglement/code_information.h"
#include "metrics/disentanglement/dci_models.h"
#include "metrics/disentanglement/latent_sample.h"
#include "metrics/metric.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

Modularity modularity(const MatrixRef& mutual_information) {
  if (mutual_information.cols() < 2 || mutual_information.rows() < 1)
    numerics::refuse("modularity", "mutual_information is " +
                                       numerics::shape_of(mutual_information) +
                                       "; needs a code and at least 2 factors");
  numerics::require_finite("modularity", "mutual_information", mutual_information);
  if (mutual_information.minCoeff() < 0.0)
    numerics::refuse("modularity", "mutual_information holds " +
                                       std::to_string(mutual_information.minCoeff()) +
                                       "; no entry may be negative");
  Modularity out;
  for (Index j = 0; j < mutual_information.rows(); ++j) {
    const double top = mutual_information.row(j).maxCoeff();
    double score = 0.0;
    if (top > 0.0) {  // relative to the largest: squares of tiny entries would vanish
      const double rest = (mutual_information.row(j) / top).squaredNorm() - 1.0;
      score = 1.0 - rest / static_cast<double>(mutual_information.cols() - 1);
    }
    out.by_code.push_back(score);
    out.value += score / static_cast<double>(mutual_information.rows());
  }
  return out;
}

double modularity_weighted(const MatrixRef& mutual_information, const MatrixRef& importance) {
  constexpr const char* kName = "modularity_weighted";
  const Modularity found = modularity(mutual_information);
  if (importance.rows() != mutual_information.rows() ||
      importance.cols() != mutual_information.cols())
    numerics::refuse(kName, "importance is " + numerics::shape_of(importance) +
                                " and mutual_information " +
                                numerics::shape_of(mutual_information) + "; needs one shape");
  numerics::require_finite(kName, "importance", importance);
  if (importance.minCoeff() < 0.0)
    numerics::refuse(kName, "importance holds " + std::to_string(importance.minCoeff()) +
                                "; no entry may be negative");
  const double all = importance.sum();
  if (!(all > 0.0)) throw std::domain_error("modularity_weighted: no code has an importance");
  double sum = 0.0;
  for (Index j = 0; j < importance.rows(); ++j)
    sum += importance.row(j).sum() / all * found.by_code[static_cast<std::size_t>(j)];
  return sum;
}

std::vector<Metric> declare::modularity() {
  return {
      latent_metric("modularity", "Does each code carry information about one factor only?",
                    "Ridgeway and Mozer, NeurIPS 2018", {.codes = 1, .factors = 2}, "code",
                    [](const Subject& subject, const LatentSample&) -> Result {
                      const Modularity found =
                          metrics::modularity(subject.once(latent_information).mutual_information);
                      return {found.value, found.by_code};
                    }),
      latent_metric(
          "modularity_weighted",
          "Does each code carry information about one factor only, codes counted by their "
          "importance for a random forest?",
          "Ridgeway and Mozer, NeurIPS 2018; weights: Suter et al., ICML 2019, Sec. 6.1",
          {.codes = 2, .factors = 2}, "code",
          [](const Subject& subject, const LatentSample&) -> Result {
            const Matrix& information = subject.once(latent_information).mutual_information;
            return {
                metrics::modularity_weighted(information, subject.once(latent_forest).importance),
                metrics::modularity(information).by_code};
          })};
}

}  // namespace conoscope::metrics
