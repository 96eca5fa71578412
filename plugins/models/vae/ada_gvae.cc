// SPDX-License-Identifier: Apache-2.0
// Ada-GVAE: pairs of samples share the average posterior of what did not change between them.

#include "plugins/models/vae/model.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

constexpr auto kParameters = sdk::parameters(kAdaParameters, vae_parameters(100, 32, 1e-3));

class AdaGvae final : public VaeModel {
 public:
  explicit AdaGvae(const sdk::ParamsOf<kParameters>& params)
      : VaeModel("ada_gvae", params, ada_gvae_method(params)) {}
};

}  // namespace

CONOSCOPE_MODEL(AdaGvae, "ada_gvae", "1.1.0", R"(
summary = "Ada-GVAE: weakly supervised by pairs of samples that differ in a few factors; what stays shares an averaged posterior"
licence = "Apache-2.0"
citation = "Locatello et al., Weakly-Supervised Disentanglement Without Compromises, ICML 2020, arXiv:2002.02886"
needs = ["inputs", "factors"]
offers = ["latent_view"]
seeded = true
added = ["codes", "share"]
)",
                kParameters)
