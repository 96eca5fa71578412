// SPDX-License-Identifier: Apache-2.0
#include "metrics/posterior/reconstruction_loss.h"

#include <string>

#include "metrics/metric.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

std::vector<Metric> declare::reconstruction_loss() {
  return {Metric{
      .name = "reconstruction_loss",
      .group = "posterior",
      .question = "How many nats does it take to describe a sample once its code is known?",
      .low = -kUnbounded,
      .unit = "nats",
      .source = "Kingma & Welling, ICLR 2014",
      .needs = {"latent_view"},
      .compute = [](const Subject& subject) -> Result {
        const Vector& losses = subject.latent().reconstruction_loss;
        const Index samples = subject.latent().codes.rows();
        if (losses.size() == 0) throw NotApplicable("the codes come without a decoder's losses");
        if (losses.size() != samples)
          numerics::refuse("reconstruction_loss", std::to_string(losses.size()) + " losses for " +
                                                      std::to_string(samples) + " samples");
        numerics::require_finite_vector("reconstruction_loss", "the losses", losses);
        return {losses.mean()};
      },
  }};
}

}  // namespace conoscope::metrics
