// SPDX-License-Identifier: Apache-2.0
// FactorVAE: a discriminator estimates the codes' total correlation.

#include "plugins/models/vae/model.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

constexpr auto kParameters = sdk::parameters(kFactorParameters, vae_parameters(61, 64, 1e-4));

class FactorVae final : public VaeModel {
 public:
  explicit FactorVae(const sdk::ParamsOf<kParameters>& params)
      : VaeModel("factor_vae", params, factor_method(params)) {}
};

}  // namespace

CONOSCOPE_MODEL(FactorVae, "factor_vae", "1.1.0", R"(
summary = "FactorVAE: a variational autoencoder whose codes' total correlation, estimated by a discriminator, weighs gamma times"
licence = "Apache-2.0"
citation = "Kim & Mnih, Disentangling by Factorising, ICML 2018, arXiv:1802.05983"
needs = ["inputs"]
offers = ["latent_view"]
seeded = true
added = ["codes"]
)",
                kParameters)
