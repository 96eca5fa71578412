// SPDX-License-Identifier: Apache-2.0
// BatchTopK sparse autoencoder: of a batch of position features as many codes stay as k per row
// come to; afterwards one threshold reads each row by itself.

#include "plugins/explainers/sparse_autoencoders/explainer.h"
#include "plugins/explainers/sparse_autoencoders/topk.h"

namespace {

namespace sdk = conoscope::sdk;
namespace methods = conoscope::methods;
namespace explainers = conoscope::explainers;

constexpr auto kParameters = sdk::parameters(
    explainers::kSelectionParameters,
    sdk::text("settings", "ours")
        .choices({"ours", "published"})
        .help("published: a rate of 3e-4 throughout, Adam's second beta 0.99, batches of 4096, "
              "gradients not clipped (the authors also normalise each row, which is not done)"));

class BatchTopKSae final : public explainers::SparseAutoencoder {
 public:
  explicit BatchTopKSae(const sdk::ParamsOf<kParameters>& params)
      : SparseAutoencoder("batch_topk_sae", params),
        k_(params.real("k")),
        aux_weight_(params.real("aux_weight")),
        published_(params.text("settings") == "published") {}

 protected:
  methods::Recipe recipe(Eigen::Index latents, Eigen::Index width) const override {
    methods::TopKOptions options;
    options.k = k_;
    options.aux_weight = aux_weight_;
    options.aux_k = width / 2;
    methods::Recipe out = explainers::selecting("batch_topk_sae", latents, options);
    if (published_) {
      out.trainer.beta2 = 0.99;
      out.trainer.clip = 0.0;
      out.schedule = {.batch = 4096, .rate = 3e-4, .warm_up = 0, .decay = 0.0};
    }
    return out;
  }

 private:
  double k_, aux_weight_;
  bool published_;
};

}  // namespace

CONOSCOPE_EXPLAINER(BatchTopKSae, "batch_topk_sae", "1.0.0", R"toml(
summary = "class-agnostic BatchTopK sparse autoencoder of position features; atoms as concepts"
licence = "Apache-2.0"
citation = "Bussmann, Leask & Nanda, BatchTopK Sparse Autoencoders, arXiv:2412.06410"
needs = ["head_view"]
offers = ["explanation", "dictionary"]
seeded = true
)toml",
                    kParameters)
