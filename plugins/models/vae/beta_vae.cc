// SPDX-License-Identifier: Apache-2.0
// The beta-VAE: the divergence from the prior weighs beta times as much.

#include "plugins/models/vae/model.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

constexpr auto kParameters = sdk::parameters(
    sdk::real("beta", 10.0).between(0.0, 1e6).help("weight of the divergence; 1: the VAE"),
    vae_parameters(100, 32, 1e-3));

class BetaVae final : public VaeModel {
 public:
  explicit BetaVae(const sdk::ParamsOf<kParameters>& params)
      : VaeModel("beta_vae", params, beta_method(params.real("beta"))) {}
};

}  // namespace

CONOSCOPE_MODEL(BetaVae, "beta_vae", "1.1.0", R"(
summary = "beta-VAE: a variational autoencoder whose divergence from the prior weighs beta times as much"
licence = "Apache-2.0"
citation = "Higgins et al., beta-VAE: Learning Basic Visual Concepts with a Constrained Variational Framework, ICLR 2017"
needs = ["inputs"]
offers = ["latent_view"]
seeded = true
added = ["codes"]
)",
                kParameters)
