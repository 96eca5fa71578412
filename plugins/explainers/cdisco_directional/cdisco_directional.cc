// SPDX-License-Identifier: Apache-2.0
// CDISCO's candidates, all right singular vectors of an output's pooled embeddings, chosen and
// weighed by how much the logit rises along them, in place of the published gradient of the loss.

#include "conoscope/sdk/explainer.h"
#include "plugins/explainers/singular_candidates.h"

namespace {

namespace sdk = conoscope::sdk;
namespace explainers = conoscope::explainers;

constexpr auto kParameters =
    sdk::parameters(sdk::integer("k", 5).at_least(1).counts_concepts().help("concepts per output"));

class CdiscoDirectional final : public sdk::Explainer {
 public:
  explicit CdiscoDirectional(const sdk::ParamsOf<kParameters>& params) : k_(params.integer("k")) {}

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    explainers::refuse_flattened(head, "cdisco_directional");
    const sdk::Matrix weight = sdk::to_matrix(head.weight());
    explainers::explain_members(head, context, out, "cdisco_directional", true,
                                [&](Eigen::Index c, const auto&, const sdk::Matrix& rows) {
                                  const sdk::Matrix v = explainers::singular_candidates(
                                      "cdisco_directional", c, rows, k_);
                                  return explainers::largest(v, v * weight.row(c).transpose(), k_);
                                });
  }

 private:
  std::int64_t k_;
};

}  // namespace

CONOSCOPE_EXPLAINER(CdiscoDirectional, "cdisco_directional", "1.0.0", R"toml(
summary = "CDISCO's singular vectors, chosen and weighed by the derivative of the logit (ours)"
licence = "Apache-2.0"
citation = "after Graziani et al., Uncovering Unique Concept Vectors through Latent Space Decomposition (CDISCO), TMLR 2023; the importance is ours"
needs = ["head_view"]
offers = ["explanation"]
seeded = false
)toml",
                    kParameters)
