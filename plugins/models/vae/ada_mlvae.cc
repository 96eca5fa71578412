// Ada-ML-VAE: as Ada-GVAE, with averages weighted by the posteriors' precisions.

#include "plugins/models/vae/model.h"

namespace {

class AdaMlvae final : public conoscope::models::VaeModel {
 public:
  explicit AdaMlvae(const conoscope::sdk::Params& params)
      : VaeModel("ada_mlvae", params, conoscope::models::ada_mlvae_method(params)) {}
};

}  // namespace

CONOSCOPE_MODEL(AdaMlvae, "ada_mlvae", "1.1.0", R"(
summary = "Ada-ML-VAE: weakly supervised by pairs of samples that differ in a few factors; what stays shares a precision-weighted posterior"
licence = "Apache-2.0"
citation = "Locatello et al., Weakly-Supervised Disentanglement Without Compromises, ICML 2020, arXiv:2002.02886"
needs = ["inputs", "factors"]
offers = ["latent_view"]
seeded = true

[parameters.shared_variance]
type = "text"
default = "harmonic_mean"
choices = ["harmonic_mean", "product_of_experts"]
help = "2 v1 v2 / (v1 + v2), as in the published code, or half of it, as in the paper on ML-VAE by Bouchacourt et al., AAAI 2018"
)" CONOSCOPE_ADA_PARAMETERS CONOSCOPE_VAE_PARAMETERS(100, 32, 1e-3))
