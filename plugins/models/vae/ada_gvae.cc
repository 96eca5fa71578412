// Ada-GVAE: pairs of samples share the average posterior of what did not change between them.

#include "plugins/models/vae/model.h"

namespace {

class AdaGvae final : public conoscope::models::VaeModel {
 public:
  explicit AdaGvae(const conoscope::sdk::Params& params)
      : VaeModel("ada_gvae", params, conoscope::models::ada_gvae_method(params)) {}
};

}  // namespace

CONOSCOPE_MODEL(AdaGvae, "ada_gvae", "1.1.0", R"(
summary = "Ada-GVAE: weakly supervised by pairs of samples that differ in a few factors; what stays shares an averaged posterior"
licence = "Apache-2.0"
citation = "Locatello et al., Weakly-Supervised Disentanglement Without Compromises, ICML 2020, arXiv:2002.02886"
needs = ["inputs", "factors"]
offers = ["latent_view"]
seeded = true
)" CONOSCOPE_ADA_PARAMETERS CONOSCOPE_VAE_PARAMETERS(100, 32, 1e-3))
