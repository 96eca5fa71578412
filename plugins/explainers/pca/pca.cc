// SPDX-License-Identifier: Apache-2.0
// PCA: an output's concepts are the directions in which its position features vary most. psi has no
// mean term: a concept score is <h, v>, of h as it is.

#include "conoscope/sdk/explainer.h"
#include "plugins/explainers/principal_directions.h"

namespace {

namespace sdk = conoscope::sdk;
namespace explainers = conoscope::explainers;

constexpr auto kParameters = sdk::parameters(
    sdk::integer("k", 5).at_least(1).counts_concepts().help("concepts per output"),
    sdk::text("rows", "positions")
        .choices({"pooled", "positions"})
        .help("what is factorised: pooled embeddings, or the features of every position"));

class Pca final : public sdk::Explainer {
 public:
  explicit Pca(const sdk::ParamsOf<kParameters>& params)
      : k_(params.integer("k")), pool_(params.text("rows") == "pooled") {}

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    explainers::explain_each_output(
        head, context, out, "pca", pool_, [&](Eigen::Index c, const sdk::Matrix& rows) {
          return explainers::principal_directions("pca", c, rows, k_).components;
        });
  }

 private:
  std::int64_t k_;
  bool pool_;
};

}  // namespace

CONOSCOPE_EXPLAINER(Pca, "pca", "1.0.0", R"toml(
summary = "class-specific PCA of position features; principal directions as concepts"
licence = "Apache-2.0"
citation = "baseline; as concepts: Zhang et al., Invertible Concept-based Explanations (ICE), AAAI 2021"
needs = ["head_view"]
offers = ["explanation"]
seeded = false
)toml",
                    kParameters)
