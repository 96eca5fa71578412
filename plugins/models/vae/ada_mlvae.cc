// SPDX-License-Identifier: Apache-2.0
// Ada-ML-VAE: as Ada-GVAE, with averages weighted by the posteriors' precisions.

#include "plugins/models/vae/model.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

constexpr auto kParameters = sdk::parameters(kAdaMlParameters, vae_parameters(100, 32, 1e-3));

class AdaMlvae final : public VaeModel {
 public:
  explicit AdaMlvae(const sdk::ParamsOf<kParameters>& params)
      : VaeModel("ada_mlvae", params, ada_mlvae_method(params)) {}
};

}  // namespace

CONOSCOPE_MODEL(AdaMlvae, "ada_mlvae", "1.1.0", R"(
summary = "Ada-ML-VAE: weakly supervised by pairs of samples that differ in a few factors; what stays shares a precision-weighted posterior"
licence = "Apache-2.0"
citation = "Locatello et al., Weakly-Supervised Disentanglement Without Compromises, ICML 2020, arXiv:2002.02886"
needs = ["inputs", "factors"]
offers = ["latent_view"]
seeded = true
added = ["codes", "share"]
)",
                kParameters)
