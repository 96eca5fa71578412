// The beta-VAE whose code may hold more and more nats as training goes on.

#include "plugins/models/vae/model.h"

namespace {

class AnnealedVae final : public conoscope::models::VaeModel {
 public:
  explicit AnnealedVae(const conoscope::sdk::Params& params)
      : VaeModel("annealed_vae", params, conoscope::models::annealed_method(params)) {}
};

}  // namespace

CONOSCOPE_MODEL(AnnealedVae, "annealed_vae", "1.1.0", R"(
summary = "annealed beta-VAE: the divergence from the prior is held at a capacity that grows during training"
licence = "Apache-2.0"
citation = "Burgess et al., Understanding disentangling in beta-VAE, arXiv:1804.03599"
needs = ["inputs"]
offers = ["latent_view"]
seeded = true

[parameters.gamma]
type = "real"
default = 100.0
min = 0.0
max = 1e6
help = "weight of |KL - capacity|"

[parameters.capacity]
type = "real"
default = 20.0
min = 0.0
max = 1e6
help = "nats at the end of the annealing"

[parameters.annealing]
type = "real"
default = 0.0667
min = 0.0
max = 1.0
help = "share of the steps over which the capacity grows from 0; published: 100,000 of 1,500,000"
)" CONOSCOPE_VAE_PARAMETERS(130, 64, 5e-4))
