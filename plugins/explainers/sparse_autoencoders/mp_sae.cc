// SPDX-License-Identifier: Apache-2.0
// Matching-pursuit sparse autoencoder: rows are read by their own atoms, one after the other.

#include "plugins/explainers/sparse_autoencoders/explainer.h"

namespace {

namespace sdk = conoscope::sdk;
namespace methods = conoscope::methods;
namespace explainers = conoscope::explainers;

constexpr auto kParameters = sdk::parameters(
    explainers::kDictionaryParameters,
    sdk::integer("k", 5).at_least(1).help("rounds of a row; an atom may come again; ours"),
    sdk::text("settings", "ours")
        .choices({"ours", "published"})
        .help("ours: products above 0, rows minus a bias; published: overcomplete's, the largest "
              "product even below 0, no bias"));

class MatchingPursuitSae final : public explainers::SparseAutoencoder {
 public:
  explicit MatchingPursuitSae(const sdk::ParamsOf<kParameters>& params)
      : SparseAutoencoder("mp_sae", params),
        k_(params.integer("k")),
        published_(params.text("settings") == "published") {}

 protected:
  methods::Recipe recipe(Eigen::Index latents, Eigen::Index) const override {
    explainers::need_at_most("mp_sae", static_cast<double>(k_), latents);
    methods::Recipe out;
    out.latents = latents;
    out.reading = methods::Reading::kPursuit;
    out.pursuit = {.rounds = k_, .positive = !published_};
    out.has_centre = !published_;
    out.objective = [options = out.pursuit](const methods::MatrixF&) {
      return std::make_unique<methods::PursuitObjective<float>>(options);
    };
    return out;
  }

 private:
  std::int64_t k_;
  bool published_;
};

}  // namespace

CONOSCOPE_EXPLAINER(MatchingPursuitSae, "mp_sae", "1.0.0", R"toml(
summary = "class-agnostic matching-pursuit sparse autoencoder of position features; atoms as concepts"
licence = "Apache-2.0"
citation = "Costa et al., From Flat to Hierarchical: Extracting Sparse Representations with Matching Pursuit, arXiv:2506.03093"
needs = ["head_view"]
offers = ["explanation", "dictionary"]
seeded = true
)toml",
                    kParameters)
