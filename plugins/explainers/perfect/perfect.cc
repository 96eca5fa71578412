// The Perfect setting: one concept per output, the output's own weight vector. A measure of
// faithfulness that does not give this explanation its best value is wrong.

#include "conoscope/sdk/eigen.h"
#include "conoscope/sdk/explainer.h"

namespace {

namespace sdk = conoscope::sdk;

class Perfect final : public sdk::Explainer {
 public:
  explicit Perfect(const sdk::Params&) {}

  void fit(const sdk::HeadView& head, const sdk::Context&, sdk::ExplanationOut& out) override {
    if (head.pooling() == "flatten")
      throw sdk::NotApplicable("perfect: a flattened head has one weight vector per position");
    const sdk::Matrix weight = sdk::to_matrix(head.weight());
    const std::vector<std::int64_t> one_each(static_cast<std::size_t>(weight.rows()), 1);
    auto explanation = out.class_specific(one_each, weight.cols());
    auto cavs = sdk::as_matrix(explanation.cavs, weight.rows(), weight.cols());
    for (Eigen::Index c = 0; c < weight.rows(); ++c) {
      const double norm = weight.row(c).norm();
      explanation.importance[static_cast<std::size_t>(c)] = norm;
      if (norm > 0.0) cavs.row(c) = weight.row(c) / norm;  // an unused output keeps cav 0, alpha 0
    }
  }
};

}  // namespace

CONOSCOPE_EXPLAINER(Perfect, "perfect", "1.0.0", R"toml(
summary = "control: each output's own weight vector as its one concept; faithful by construction"
licence = "Apache-2.0"
citation = "Kumar & Ahuja, Measuring the (Un)Faithfulness of Concept-Based Explanations, arXiv:2504.10833, appendix B.1"
needs = ["head_view"]
offers = ["explanation"]
seeded = false
)toml")
