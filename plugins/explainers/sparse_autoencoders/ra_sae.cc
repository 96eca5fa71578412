// SPDX-License-Identifier: Apache-2.0
// Archetypal sparse autoencoder: its atoms stay within delta of the convex hull of centroids of the
// position features.

#include "plugins/explainers/sparse_autoencoders/archetypal.h"
#include "plugins/explainers/sparse_autoencoders/explainer.h"

namespace {

namespace sdk = conoscope::sdk;
namespace methods = conoscope::methods;
namespace explainers = conoscope::explainers;

constexpr auto kParameters = sdk::parameters(
    explainers::kDictionaryParameters,
    sdk::integer("k", 5).at_least(1).help("concepts that may be active in one row; ours"),
    sdk::real("aux_weight", 0.03125)
        .at_least(0)
        .help("weight of the loss by which latents that have not fired for 100 steps learn the "
              "residual; ours: published ones have none"),
    sdk::integer("points", 0)
        .at_least(0)
        .help("centroids, by K-Means of at most 65,536 rows; 0: as many as latents. Atoms start at "
              "them in turn, scaled to a mean norm of 1; ours: the published start leaves atoms beyond "
              "the last one at 0, and others as long as they are"),
    sdk::real("delta", 1)
        .at_least(0)
        .help("how far an atom may be from the hull, where rows have unit variance; 1 is "
              "published"));

class ArchetypalSae final : public explainers::SparseAutoencoder {
 public:
  explicit ArchetypalSae(const sdk::ParamsOf<kParameters>& params)
      : SparseAutoencoder("ra_sae", params),
        k_(params.integer("k")),
        aux_weight_(params.real("aux_weight")),
        points_(params.integer("points")),
        delta_(params.real("delta")) {}

 protected:
  methods::Recipe recipe(Eigen::Index latents, Eigen::Index width) const override {
    methods::TopKOptions options;
    options.k = static_cast<double>(k_);
    options.whole_batch = false;
    options.aux_weight = aux_weight_;
    options.aux_k = width / 2;
    methods::Recipe out = explainers::selecting("ra_sae", latents, options);
    out.reading = methods::Reading::kTopK;
    out.batch_k = 0.0;
    out.pursuit.rounds = k_;
    out.points = points_ > 0 ? points_ : latents;
    out.has_centre = false;
    out.trainer.unit_atoms = false;
    out.objective = [options, latents, delta = delta_](const methods::MatrixF& points) {
      return std::make_unique<methods::ArchetypalObjective<float>>(points, delta, latents, options);
    };
    return out;
  }

 private:
  std::int64_t k_;
  double aux_weight_;
  std::int64_t points_;
  double delta_;
};

}  // namespace

CONOSCOPE_EXPLAINER(ArchetypalSae, "ra_sae", "1.0.0", R"toml(
summary = "class-agnostic archetypal TopK sparse autoencoder of position features; atoms near the hull of centroids as concepts"
licence = "Apache-2.0"
citation = "Fel et al., Archetypal SAE: Adaptive and Stable Dictionary Learning for Concept Extraction in Large Vision Models, arXiv:2502.12892"
needs = ["head_view"]
offers = ["explanation", "dictionary"]
seeded = true
)toml",
                    kParameters)
