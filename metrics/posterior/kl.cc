// SPDX-License-Identifier: Apache-2.0
#include "metrics/posterior/kl.h"

#include <stdexcept>
#include <string>

#include "metrics/metric.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

Eigen::RowVectorXd kl(const MatrixRef& mean, const MatrixRef& log_variance) {
  if (mean.rows() != log_variance.rows() || mean.cols() != log_variance.cols() || mean.rows() == 0)
    numerics::refuse("kl", "log_variance is " + numerics::shape_of(log_variance) +
                               ", the mean codes " + numerics::shape_of(mean) +
                               ", expected the same shape and at least one sample");
  numerics::require_finite("kl", "mean", mean);
  numerics::require_finite("kl", "log_variance", log_variance);
  const auto log_v = log_variance.array();
  const Eigen::RowVectorXd by_dimension =
      0.5 * (mean.array().square() + (log_v.expm1() - log_v).max(0.0)).colwise().mean();
  if (!by_dimension.allFinite())
    throw std::domain_error("the divergence of a sample's code from its prior overflows");
  return by_dimension;
}

std::vector<Metric> declare::kl() {
  return {Metric{
      .name = "kl",
      .group = "posterior",
      .question = "How many nats of information does the code hold beyond its prior?",
      .unit = "nats",
      .source = "Kingma & Welling, ICLR 2014",
      .needs = {"latent_view"},
      .parts = "code",
      .compute = [](const Subject& subject) -> Result {
        const LatentView& latent = subject.latent();
        if (latent.log_variance.size() == 0)
          throw NotApplicable("the codes come without the variances of a posterior");
        const Eigen::RowVectorXd found = metrics::kl(latent.codes, latent.log_variance);
        return {found.sum(), {found.begin(), found.end()}};
      },
  }};
}

}  // namespace conoscope::metrics
