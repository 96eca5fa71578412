// The Full Rand setting: random unit directions with random importances. Any measure of
// faithfulness must find it worse than the perfect concepts with random importances.

#include "conoscope/sdk/eigen.h"
#include "conoscope/sdk/explainer.h"

namespace {

namespace sdk = conoscope::sdk;

class RandomConcepts final : public sdk::Explainer {
 public:
  explicit RandomConcepts(const sdk::Params&) {}

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    const std::int64_t outputs = head.outputs(), width = head.width();
    const std::vector<std::int64_t> one_each(static_cast<std::size_t>(outputs), 1);
    auto explanation = out.class_specific(one_each, width);
    auto cavs = sdk::as_matrix(explanation.cavs, outputs, width);
    sdk::Random importance(context.seed().child("importance"));
    sdk::Random direction(context.seed().child("direction"));
    for (Eigen::Index c = 0; c < outputs; ++c) {
      for (Eigen::Index d = 0; d < width; ++d) cavs(c, d) = direction.normal();
      cavs.row(c).normalize();
      explanation.importance[static_cast<std::size_t>(c)] = importance.uniform();
    }
  }
};

}  // namespace

CONOSCOPE_EXPLAINER(RandomConcepts, "random_concepts", "1.0.0", R"toml(
summary = "control: random unit directions, importances drawn from U[0,1)"
licence = "Apache-2.0"
citation = "Kumar & Ahuja, Measuring the (Un)Faithfulness of Concept-Based Explanations, arXiv:2504.10833, appendix B.1"
needs = ["head_view"]
offers = ["explanation"]
seeded = true
)toml")
