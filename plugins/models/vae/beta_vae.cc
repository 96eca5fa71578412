// The beta-VAE: the divergence from the prior weighs beta times as much.

#include "plugins/models/vae/model.h"

namespace {

class BetaVae final : public conoscope::models::VaeModel {
 public:
  explicit BetaVae(const conoscope::sdk::Params& params)
      : VaeModel("beta_vae", params, conoscope::models::beta_method(params.real("beta"))) {}
};

}  // namespace

CONOSCOPE_MODEL(BetaVae, "beta_vae", "1.1.0", R"(
summary = "beta-VAE: a variational autoencoder whose divergence from the prior weighs beta times as much"
licence = "Apache-2.0"
citation = "Higgins et al., beta-VAE: Learning Basic Visual Concepts with a Constrained Variational Framework, ICLR 2017"
needs = ["inputs"]
offers = ["latent_view"]
seeded = true

[parameters.beta]
type = "real"
default = 10.0
min = 0.0
max = 1e6
help = "weight of the divergence; 1: the VAE"
)" CONOSCOPE_VAE_PARAMETERS(100, 32, 1e-3))
