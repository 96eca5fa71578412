// SPDX-License-Identifier: Apache-2.0
// Matryoshka sparse autoencoder: BatchTopK codes, of which the first ones, too, must rebuild the
// row on their own.

#include <algorithm>
#include <cmath>

#include "plugins/explainers/sparse_autoencoders/explainer.h"
#include "plugins/explainers/sparse_autoencoders/topk.h"

namespace {

namespace sdk = conoscope::sdk;
namespace methods = conoscope::methods;
namespace explainers = conoscope::explainers;

constexpr auto kParameters = sdk::parameters(
    explainers::kSelectionParameters,
    sdk::reals("prefixes", {0.0625, 0.25, 0.5, 1.0})
        .between(1e-6, 1)
        .help("shares of the latents that rebuild a row on their own, ascending up to 1; ours"),
    sdk::text("settings", "ours")
        .choices({"ours", "published"})
        .help("weights of n prefixes: ours 1/n; published: dictionary_learning's, which come to "
              "1/n^2, at its rate 2e-4 / sqrt(latents / 2^14) and warm-up of 1000 steps"));

class MatryoshkaSae final : public explainers::SparseAutoencoder {
 public:
  explicit MatryoshkaSae(const sdk::ParamsOf<kParameters>& params)
      : SparseAutoencoder("matryoshka_sae", params),
        k_(params.real("k")),
        aux_weight_(params.real("aux_weight")),
        shares_(params.reals("prefixes")),
        published_(params.text("settings") == "published") {}

 protected:
  methods::Recipe recipe(Eigen::Index latents, Eigen::Index width) const override {
    methods::TopKOptions options;
    options.k = k_;
    options.aux_weight = aux_weight_;
    options.aux_k = width / 2;
    // Of few latents some prefixes are the same.
    for (const double share : shares_) {
      const auto prefix = std::max<Eigen::Index>(
          1, static_cast<Eigen::Index>(std::floor(share * static_cast<double>(latents))));
      if (options.prefixes.empty() || options.prefixes.back() != prefix)
        options.prefixes.push_back(prefix);
    }
    const auto n = static_cast<double>(options.prefixes.size());
    options.prefix_weights.assign(options.prefixes.size(), 1.0 / (published_ ? n * n : n));
    methods::Recipe out = explainers::selecting("matryoshka_sae", latents, options);
    if (published_) {
      out.schedule.rate = 2e-4 / std::sqrt(static_cast<double>(latents) / 16384.0);
      out.schedule.warm_up = 1000;
    }
    return out;
  }

 private:
  double k_, aux_weight_;
  std::vector<double> shares_;
  bool published_;
};

}  // namespace

CONOSCOPE_EXPLAINER(MatryoshkaSae, "matryoshka_sae", "1.0.0", R"toml(
summary = "class-agnostic Matryoshka sparse autoencoder of position features; nested dictionaries of atoms as concepts"
licence = "Apache-2.0"
citation = "Bussmann, Nabeshima, Karvonen & Nanda, Learning Multi-Level Features with Matryoshka Sparse Autoencoders, arXiv:2503.17547"
needs = ["head_view"]
offers = ["explanation", "dictionary"]
seeded = true
)toml",
                    kParameters)
