// The Perfect setting: one concept per output, the output's own weight vector, or k that add up to
// it. A measure of faithfulness that does not give this explanation its best value is wrong.

#include "conoscope/sdk/explainer.h"
#include "plugins/explainers/perfect_parts.h"

namespace {

namespace sdk = conoscope::sdk;

constexpr auto kParameters =
    sdk::parameters(sdk::integer("k", 1).at_least(1).counts_concepts().help(
        "concepts per output: parts of its weight vector that add up to it"));

class Perfect final : public sdk::Explainer {
 public:
  explicit Perfect(const sdk::ParamsOf<kParameters>& params) : k_(params.integer("k")) {}

  void fit(const sdk::HeadView& head, const sdk::Context&, sdk::ExplanationOut& out) override {
    if (head.pooling() == "flatten")
      throw sdk::NotApplicable("perfect: a flattened head has one weight vector per position");
    const sdk::Matrix weight = sdk::to_matrix(head.weight());
    const std::vector<std::int64_t> counts(static_cast<std::size_t>(weight.rows()), k_);
    auto explanation = out.class_specific(counts, weight.cols());
    auto cavs = sdk::as_matrix(explanation.cavs, weight.rows() * k_, weight.cols());
    for (Eigen::Index c = 0; c < weight.rows(); ++c) {
      const sdk::Matrix parts = conoscope::explainers::perfect_parts("perfect", weight, c, k_);
      for (Eigen::Index j = 0; j < k_; ++j) {
        const double norm = parts.row(j).norm();
        explanation.importance[static_cast<std::size_t>(c * k_ + j)] = norm;
        // An unused output keeps cav 0, alpha 0.
        if (norm > 0.0) cavs.row(c * k_ + j) = parts.row(j) / norm;
      }
    }
  }

 private:
  std::int64_t k_;
};

}  // namespace

CONOSCOPE_EXPLAINER(Perfect, "perfect", "1.0.0", R"toml(
summary = "control: each output's own weight vector as its one concept; faithful by construction"
licence = "Apache-2.0"
citation = "Kumar & Ahuja, Measuring the (Un)Faithfulness of Concept-Based Explanations, arXiv:2504.10833, appendix B.1"
needs = ["head_view"]
offers = ["explanation"]
seeded = false
added = ["k"]
)toml",
                    kParameters)
