// The Rand Imp setting: the perfect concepts with importances that know nothing. A measure that
// cannot tell it from the perfect explanation does not look at importances at all.

#include "conoscope/sdk/eigen.h"
#include "conoscope/sdk/explainer.h"

namespace {

namespace sdk = conoscope::sdk;

class RandomImportance final : public sdk::Explainer {
 public:
  explicit RandomImportance(const sdk::Params&) {}

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    if (head.pooling() == "flatten")
      throw sdk::NotApplicable(
          "random_importance: a flattened head has one weight vector per position");
    const sdk::Matrix weight = sdk::to_matrix(head.weight());
    const std::vector<std::int64_t> one_each(static_cast<std::size_t>(weight.rows()), 1);
    auto explanation = out.class_specific(one_each, weight.cols());
    auto cavs = sdk::as_matrix(explanation.cavs, weight.rows(), weight.cols());
    sdk::Random random(context.seed().child("importance"));
    for (Eigen::Index c = 0; c < weight.rows(); ++c) {
      const double norm = weight.row(c).norm();
      if (norm > 0.0) cavs.row(c) = weight.row(c) / norm;  // an unused output keeps cav 0
      explanation.importance[static_cast<std::size_t>(c)] = random.uniform();
    }
  }
};

}  // namespace

CONOSCOPE_EXPLAINER(RandomImportance, "random_importance", "1.0.0", R"toml(
summary = "control: perfect concepts, importances drawn from U[0,1)"
licence = "Apache-2.0"
citation = "Kumar & Ahuja, Measuring the (Un)Faithfulness of Concept-Based Explanations, arXiv:2504.10833, appendix B.1"
needs = ["head_view"]
offers = ["explanation"]
seeded = true
)toml")
