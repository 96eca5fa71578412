// SPDX-License-Identifier: Apache-2.0
// The beta-VAE whose code may hold more and more nats as training goes on.

#include "plugins/models/vae/model.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

constexpr auto kParameters = sdk::parameters(kAnnealedParameters, vae_parameters(130, 64, 5e-4));

class AnnealedVae final : public VaeModel {
 public:
  explicit AnnealedVae(const sdk::ParamsOf<kParameters>& params)
      : VaeModel("annealed_vae", params, annealed_method(params)) {}
};

}  // namespace

CONOSCOPE_MODEL(AnnealedVae, "annealed_vae", "1.1.0", R"(
summary = "annealed beta-VAE: the divergence from the prior is held at a capacity that grows during training"
licence = "Apache-2.0"
citation = "Burgess et al., Understanding disentangling in beta-VAE, arXiv:1804.03599"
needs = ["inputs"]
offers = ["latent_view"]
seeded = true
added = ["codes"]
)",
                kParameters)
