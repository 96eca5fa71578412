// FactorVAE: a discriminator estimates the codes' total correlation.

#include "plugins/models/vae/model.h"

namespace {

class FactorVae final : public conoscope::models::VaeModel {
 public:
  explicit FactorVae(const conoscope::sdk::Params& params)
      : VaeModel("factor_vae", params, conoscope::models::factor_method(params)) {}
};

}  // namespace

CONOSCOPE_MODEL(FactorVae, "factor_vae", "1.1.0", R"(
summary = "FactorVAE: a variational autoencoder whose codes' total correlation, estimated by a discriminator, weighs gamma times"
licence = "Apache-2.0"
citation = "Kim & Mnih, Disentangling by Factorising, ICML 2018, arXiv:1802.05983"
needs = ["inputs"]
offers = ["latent_view"]
seeded = true

[parameters.gamma]
type = "real"
default = 6.4
min = 0.0
max = 1e6
help = "weight of the total correlation; 0: the VAE"

[parameters.discriminator_layers]
type = "integer"
default = 6
min = 1
max = 100
help = "hidden layers of the discriminator"

[parameters.discriminator_width]
type = "integer"
default = 1000
min = 1
max = 65536
help = "units of each of them"

[parameters.discriminator_learning_rate]
type = "real"
default = 1e-4
min = 1e-8
max = 10.0
help = "of the discriminator's Adam, whose betas are 0.5 and 0.9"
)" CONOSCOPE_VAE_PARAMETERS(61, 64, 1e-4))
