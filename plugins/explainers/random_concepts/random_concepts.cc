// SPDX-License-Identifier: Apache-2.0
// The Full Rand setting: random unit directions with random importances. Any measure of
// faithfulness must find it worse than the perfect concepts with random importances.

#include "conoscope/sdk/eigen.h"
#include "conoscope/sdk/explainer.h"

namespace {

namespace sdk = conoscope::sdk;

constexpr auto kParameters =
    sdk::parameters(sdk::integer("k", 1).at_least(1).counts_concepts().help("concepts per output"));

class RandomConcepts final : public sdk::Explainer {
 public:
  explicit RandomConcepts(const sdk::ParamsOf<kParameters>& params) : k_(params.integer("k")) {}

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    const std::int64_t outputs = head.outputs(), width = head.width();
    const std::vector<std::int64_t> counts(static_cast<std::size_t>(outputs), k_);
    auto explanation = out.class_specific(counts, width);
    auto cavs = sdk::as_matrix(explanation.cavs, outputs * k_, width);
    sdk::Random importance(context.seed().child("importance"));
    sdk::Random direction(context.seed().child("direction"));
    for (Eigen::Index i = 0; i < cavs.rows(); ++i) {
      for (Eigen::Index d = 0; d < width; ++d) cavs(i, d) = direction.normal();
      cavs.row(i).normalize();
      explanation.importance[static_cast<std::size_t>(i)] = importance.uniform();
    }
  }

 private:
  std::int64_t k_;
};

}  // namespace

CONOSCOPE_EXPLAINER(RandomConcepts, "random_concepts", "1.0.0", R"toml(
summary = "control: random unit directions, importances drawn from U[0,1)"
licence = "Apache-2.0"
citation = "Kumar & Ahuja, Measuring the (Un)Faithfulness of Concept-Based Explanations, arXiv:2504.10833, appendix B.1"
needs = ["head_view"]
offers = ["explanation"]
seeded = true
added = ["k"]
)toml",
                    kParameters)
