#include "metrics/disentanglement/modularity.h"

#include <string>

#include "metrics/disentanglement/code_information.h"
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

std::vector<Metric> declare::modularity() {
  return {latent_metric("modularity", "Does each code carry information about one factor only?",
                        "Ridgeway and Mozer, NeurIPS 2018", {.codes = 1, .factors = 2}, "code",
                        [](const Subject& subject, const LatentSample&) -> Result {
                          const Modularity found = metrics::modularity(
                              subject.once(latent_information).mutual_information);
                          return {found.value, found.by_code};
                        })};
}

}  // namespace conoscope::metrics
