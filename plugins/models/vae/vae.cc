// SPDX-License-Identifier: Apache-2.0
// The variational autoencoder.

#include "plugins/models/vae/model.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

constexpr auto kParameters = sdk::parameters(vae_parameters(300, 512, 1e-4));

class Vae final : public VaeModel {
 public:
  explicit Vae(const sdk::ParamsOf<kParameters>& params)
      : VaeModel("vae", params, beta_method(1.0)) {}
};

}  // namespace

CONOSCOPE_MODEL(Vae, "vae", "1.1.0", R"(
summary = "variational autoencoder: latent codes of images or of rows of numbers"
licence = "Apache-2.0"
citation = "Kingma & Welling, Auto-Encoding Variational Bayes, ICLR 2014, arXiv:1312.6114"
needs = ["inputs"]
offers = ["latent_view"]
seeded = true
added = ["codes"]
)",
                kParameters)
