// The beta-TCVAE: of the divergence from the prior, the total correlation alone weighs more.

#include "plugins/models/vae/model.h"

namespace {

class BetaTcvae final : public conoscope::models::VaeModel {
 public:
  explicit BetaTcvae(const conoscope::sdk::Params& params)
      : VaeModel("beta_tcvae", params, conoscope::models::total_correlation_method(params)) {}
};

}  // namespace

CONOSCOPE_MODEL(BetaTcvae, "beta_tcvae", "1.1.0", R"(
summary = "beta-TCVAE: a variational autoencoder whose codes' total correlation, estimated in the batch, weighs beta times as much"
licence = "Apache-2.0"
citation = "Chen et al., Isolating Sources of Disentanglement in Variational Autoencoders, NeurIPS 2018, arXiv:1802.04942"
needs = ["inputs"]
offers = ["latent_view"]
seeded = true

[parameters.beta]
type = "real"
default = 6.0
min = 0.0
max = 1e6
help = "weight of the total correlation; 1: the VAE"
)" CONOSCOPE_VAE_PARAMETERS(50, 2048, 1e-3))
