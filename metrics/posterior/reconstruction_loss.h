// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace conoscope::metrics {

struct Metric;

namespace declare {
/// How many nats does it take to describe a sample once its code is known?
///
///   mean over the samples of -log p(x|z), as the model has worked it out for one z ~ q(z|x) each
///
/// With kl, the bound -log p(x) <= reconstruction_loss + kl; see there for what may be compared.
///
/// throws   std::invalid_argument: not one loss for each sample, a loss that is not finite
///
/// Source: Kingma & Welling, Auto-Encoding Variational Bayes, ICLR 2014, Eq. 7.
std::vector<Metric> reconstruction_loss();
}  // namespace declare

}  // namespace conoscope::metrics
