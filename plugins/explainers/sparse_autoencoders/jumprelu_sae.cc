// SPDX-License-Identifier: Apache-2.0
// JumpReLU sparse autoencoder: every latent learns the threshold above which it fires, against the
// number of those that do.

#include <cmath>

#include "plugins/explainers/sparse_autoencoders/explainer.h"
#include "plugins/explainers/sparse_autoencoders/jumprelu.h"

namespace {

namespace sdk = conoscope::sdk;
namespace methods = conoscope::methods;
namespace explainers = conoscope::explainers;

constexpr auto kParameters = sdk::parameters(
    explainers::kDictionaryParameters,
    sdk::real("sparsity", 1)
        .at_least(0)
        .help("lambda, weight of the number of active latents; ours: published ones go with their "
              "models"),
    sdk::real("bandwidth", 0)
        .at_least(0)
        .help("width of the window through which thresholds learn, and their start; 0: as the "
              "settings have it, ours 1"),
    sdk::text("settings", "ours")
        .choices({"ours", "published"})
        .help("published: rows of mean square 1, a bandwidth of 0.001, windows of ReLU'd codes, "
              "Adam's first beta 0, a rate of 7e-5, lambda rising in 10,000 steps; ours: rows of "
              "unit variance, lambda rising in a third of the steps"));

class JumpReluSae final : public explainers::SparseAutoencoder {
 public:
  explicit JumpReluSae(const sdk::ParamsOf<kParameters>& params)
      : SparseAutoencoder("jumprelu_sae", params),
        sparsity_(params.real("sparsity")),
        bandwidth_(params.real("bandwidth")),
        published_(params.text("settings") == "published") {}

 protected:
  methods::Recipe recipe(Eigen::Index latents, Eigen::Index) const override {
    methods::JumpReluOptions options;
    options.weight = sparsity_;
    options.bandwidth = bandwidth_ > 0.0 ? bandwidth_ : published_ ? 1e-3 : 1.0;
    options.relu_first = published_;
    methods::Recipe out;
    out.latents = latents;
    out.objective = [options](const methods::MatrixF&) {
      return std::make_unique<methods::JumpReluObjective<float>>(options);
    };
    out.complete = [options, latents](methods::Parts<float>& start) {
      start[methods::Part::kThreshold].setConstant(1, latents,
                                                   static_cast<float>(std::log(options.bandwidth)));
    };
    out.schedule.pressure_share = 1.0 / 3.0;
    if (published_) {
      out.unit_power = true;
      out.trainer.beta1 = 0.0;
      out.schedule.rate = 7e-5;
      out.schedule.pressure_steps = 10000;
    }
    return out;
  }

 private:
  double sparsity_, bandwidth_;
  bool published_;
};

}  // namespace

CONOSCOPE_EXPLAINER(JumpReluSae, "jumprelu_sae", "1.0.0", R"toml(
summary = "class-agnostic JumpReLU sparse autoencoder of position features; atoms as concepts"
licence = "Apache-2.0"
citation = "Rajamanoharan et al., Jumping Ahead: Improving Reconstruction Fidelity with JumpReLU Sparse Autoencoders, arXiv:2407.14435"
needs = ["head_view"]
offers = ["explanation", "dictionary"]
seeded = true
)toml",
                    kParameters)
