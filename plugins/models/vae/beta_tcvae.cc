// SPDX-License-Identifier: Apache-2.0
// The beta-TCVAE: of the divergence from the prior, the total correlation alone weighs more.

#include "plugins/models/vae/model.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

constexpr auto kParameters =
    sdk::parameters(kTotalCorrelationParameters, vae_parameters(50, 2048, 1e-3));

class BetaTcvae final : public VaeModel {
 public:
  explicit BetaTcvae(const sdk::ParamsOf<kParameters>& params)
      : VaeModel("beta_tcvae", params, total_correlation_method(params)) {}
};

}  // namespace

CONOSCOPE_MODEL(BetaTcvae, "beta_tcvae", "1.1.0", R"(
summary = "beta-TCVAE: a variational autoencoder whose codes' total correlation, estimated in the batch, weighs beta times as much"
licence = "Apache-2.0"
citation = "Chen et al., Isolating Sources of Disentanglement in Variational Autoencoders, NeurIPS 2018, arXiv:1802.04942"
needs = ["inputs"]
offers = ["latent_view"]
seeded = true
added = ["codes"]
)",
                kParameters)
