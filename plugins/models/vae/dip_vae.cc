// SPDX-License-Identifier: Apache-2.0
// DIP-VAE: the covariance of the codes is drawn to the identity.

#include "plugins/models/vae/model.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

constexpr auto kParameters = sdk::parameters(kDipParameters, vae_parameters(300, 512, 1e-4));

class DipVae final : public VaeModel {
 public:
  explicit DipVae(const sdk::ParamsOf<kParameters>& params)
      : VaeModel("dip_vae", params, dip_method(params)) {}
};

}  // namespace

CONOSCOPE_MODEL(DipVae, "dip_vae", "1.1.0", R"(
summary = "DIP-VAE I or II: a variational autoencoder whose codes' covariance is drawn to the identity"
licence = "Apache-2.0"
citation = "Kumar, Sattigeri & Balakrishnan, Variational Inference of Disentangled Latent Concepts from Unlabeled Observations, ICLR 2018, arXiv:1711.00848"
needs = ["inputs"]
offers = ["latent_view"]
seeded = true
added = ["codes"]
)",
                kParameters)
