// DIP-VAE: the covariance of the codes is drawn to the identity.

#include "plugins/models/vae/model.h"

namespace {

class DipVae final : public conoscope::models::VaeModel {
 public:
  explicit DipVae(const conoscope::sdk::Params& params)
      : VaeModel("dip_vae", params, conoscope::models::dip_method(params)) {}
};

}  // namespace

CONOSCOPE_MODEL(DipVae, "dip_vae", "1.1.0", R"(
summary = "DIP-VAE I or II: a variational autoencoder whose codes' covariance is drawn to the identity"
licence = "Apache-2.0"
citation = "Kumar, Sattigeri & Balakrishnan, Variational Inference of Disentangled Latent Concepts from Unlabeled Observations, ICLR 2018, arXiv:1711.00848"
needs = ["inputs"]
offers = ["latent_view"]
seeded = true

[parameters.variant]
type = "text"
default = "i"
choices = ["i", "ii"]
help = "covariance of the posterior means: i, or of samples from the posteriors: ii"

[parameters.lambda_od]
type = "real"
default = 10.0
min = 0.0
max = 1e6
help = "weight of the squared covariances"

[parameters.lambda_d]
type = "real"
default = 100.0
min = 0.0
max = 1e6
help = "weight of the variances' squared distance from 1; published for variant ii: as lambda_od"
)" CONOSCOPE_VAE_PARAMETERS(300, 512, 1e-4))
