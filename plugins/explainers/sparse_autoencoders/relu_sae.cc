// SPDX-License-Identifier: Apache-2.0
// ReLU sparse autoencoder with an L1 penalty, the first of them.

#include "plugins/explainers/sparse_autoencoders/explainer.h"
#include "plugins/explainers/sparse_autoencoders/relu.h"

namespace {

namespace sdk = conoscope::sdk;
namespace methods = conoscope::methods;
namespace explainers = conoscope::explainers;

constexpr auto kParameters = sdk::parameters(
    explainers::kDictionaryParameters,
    sdk::real("sparsity", 1.5)
        .at_least(0)
        .help("lambda, weight of the codes' L1 norm; ours, for rows of unit variance"),
    sdk::text("settings", "ours")
        .choices({"ours", "published", "april_2024"})
        .help("published: dictionary_learning's rate 1e-3, gradients not clipped, encoder rows of "
              "norm 0.1 at the start; april_2024: atoms of any norm, by which the L1 norm is "
              "weighted; all: lambda rises in a third of the steps"));

class ReluSae final : public explainers::SparseAutoencoder {
 public:
  explicit ReluSae(const sdk::ParamsOf<kParameters>& params)
      : SparseAutoencoder("relu_sae", params),
        sparsity_(params.real("sparsity")),
        settings_(params.text("settings")) {}

 protected:
  methods::Recipe recipe(Eigen::Index latents, Eigen::Index) const override {
    const bool by_norms = settings_ == "april_2024";
    methods::Recipe out;
    out.latents = latents;
    out.objective = [weight = sparsity_, by_norms](const methods::MatrixF&) {
      return std::make_unique<methods::ReluObjective<float>>(
          methods::ReluOptions{.weight = weight, .by_norms = by_norms});
    };
    out.trainer.unit_atoms = !by_norms;
    out.schedule.pressure_share = 1.0 / 3.0;
    if (settings_ == "published") {
      out.trainer.clip = 0.0;
      out.encoder_norm = 0.1;
      out.schedule.rate = 1e-3;
    }
    return out;
  }

 private:
  double sparsity_;
  std::string settings_;
};

}  // namespace

CONOSCOPE_EXPLAINER(ReluSae, "relu_sae", "1.0.0", R"toml(
summary = "class-agnostic ReLU sparse autoencoder with an L1 penalty, of position features; atoms as concepts"
licence = "Apache-2.0"
citation = "Bricken et al., Towards Monosemanticity, Transformer Circuits Thread, 2023; Huben et al., Sparse Autoencoders Find Highly Interpretable Features in Language Models, ICLR 2024, arXiv:2309.08600"
needs = ["head_view"]
offers = ["explanation", "dictionary"]
seeded = true
)toml",
                    kParameters)
