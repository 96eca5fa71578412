// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/vae/method.h"

namespace conoscope::models {

VaeTraining::Pass VaeTraining::pass(const Tensor& rows) const {
  const Tensor x = inputs.batch(rows);
  Pass result;
  result.posterior = network.encode(x);
  result.z = draw(result.posterior);
  result.reconstruction_losses = reconstruction_losses(likelihood, network.decode(result.z), x);
  return result;
}

VaeLoss PenaltyMethod::loss(const VaeTraining& training, const Tensor& rows, std::int64_t t) {
  const VaeTraining::Pass pass = training.pass(rows);
  const Tensor kl = kl_divergence(pass.posterior.mean, pass.posterior.log_variance);
  const Tensor reconstruction = pass.reconstruction_losses.mean();
  return {reconstruction + penalty(training, pass, kl, t), reconstruction, kl};
}

}  // namespace conoscope::models
