// SPDX-License-Identifier: Apache-2.0
// Gated sparse autoencoder: one reading of the encoder says which latents fire, another how much.

#include "plugins/explainers/sparse_autoencoders/explainer.h"
#include "plugins/explainers/sparse_autoencoders/gated.h"

namespace {

namespace sdk = conoscope::sdk;
namespace methods = conoscope::methods;
namespace explainers = conoscope::explainers;

constexpr auto kParameters = sdk::parameters(
    explainers::kDictionaryParameters,
    sdk::real("sparsity", 3)
        .at_least(0)
        .help("lambda, weight of the gates' L1 norm; ours, for rows of unit variance; "
              "dictionary_learning has 0.1"),
    sdk::text("settings", "ours")
        .choices({"ours", "published"})
        .help("published: dictionary_learning's rate 5e-5 and Adam's first beta 0; both: lambda "
              "rises in a third of the steps"));

class GatedSae final : public explainers::SparseAutoencoder {
 public:
  explicit GatedSae(const sdk::ParamsOf<kParameters>& params)
      : SparseAutoencoder("gated_sae", params),
        sparsity_(params.real("sparsity")),
        published_(params.text("settings") == "published") {}

 protected:
  methods::Recipe recipe(Eigen::Index latents, Eigen::Index) const override {
    methods::Recipe out;
    out.latents = latents;
    out.reading = methods::Reading::kGated;
    out.objective = [weight = sparsity_](const methods::MatrixF&) {
      return std::make_unique<methods::GatedObjective<float>>(
          methods::GatedOptions{.weight = weight, .aux_trains_decoder = false});
    };
    out.complete = [latents](methods::Parts<float>& start) {
      start[methods::Part::kGain].setZero(1, latents);
      start[methods::Part::kMagnitudeBias].setZero(1, latents);
    };
    out.schedule.pressure_share = 1.0 / 3.0;
    if (published_) {
      out.trainer.beta1 = 0.0;
      out.schedule.rate = 5e-5;
    }
    return out;
  }

 private:
  double sparsity_;
  bool published_;
};

}  // namespace

CONOSCOPE_EXPLAINER(GatedSae, "gated_sae", "1.0.0", R"toml(
summary = "class-agnostic gated sparse autoencoder of position features; atoms as concepts"
licence = "Apache-2.0"
citation = "Rajamanoharan et al., Improving Dictionary Learning with Gated Sparse Autoencoders, arXiv:2404.16014"
needs = ["head_view"]
offers = ["explanation", "dictionary"]
seeded = true
)toml",
                    kParameters)
