// The Rand Imp setting: the perfect concepts with importances that know nothing. A measure that
// cannot tell it from the perfect explanation does not look at importances at all.

#include "conoscope/sdk/explainer.h"
#include "plugins/explainers/perfect_parts.h"

namespace {

namespace sdk = conoscope::sdk;

constexpr auto kParameters = sdk::parameters(
    sdk::integer("k", 1).at_least(1).counts_concepts().help("concepts per output, as of perfect"));

class RandomImportance final : public sdk::Explainer {
 public:
  explicit RandomImportance(const sdk::ParamsOf<kParameters>& params) : k_(params.integer("k")) {}

  void fit(const sdk::HeadView& head, const sdk::Context& context,
           sdk::ExplanationOut& out) override {
    if (head.pooling() == "flatten")
      throw sdk::NotApplicable(
          "random_importance: a flattened head has one weight vector per position");
    const sdk::Matrix weight = sdk::to_matrix(head.weight());
    const std::vector<std::int64_t> counts(static_cast<std::size_t>(weight.rows()), k_);
    auto explanation = out.class_specific(counts, weight.cols());
    auto cavs = sdk::as_matrix(explanation.cavs, weight.rows() * k_, weight.cols());
    sdk::Random random(context.seed().child("importance"));
    for (Eigen::Index c = 0; c < weight.rows(); ++c) {
      const sdk::Matrix parts =
          conoscope::explainers::perfect_parts("random_importance", weight, c, k_);
      for (Eigen::Index j = 0; j < k_; ++j) {
        const double norm = parts.row(j).norm();
        if (norm > 0.0) cavs.row(c * k_ + j) = parts.row(j) / norm;  // an unused output keeps cav 0
        explanation.importance[static_cast<std::size_t>(c * k_ + j)] = random.uniform();
      }
    }
  }

 private:
  std::int64_t k_;
};

}  // namespace

CONOSCOPE_EXPLAINER(RandomImportance, "random_importance", "1.0.0", R"toml(
summary = "control: perfect concepts, importances drawn from U[0,1)"
licence = "Apache-2.0"
citation = "Kumar & Ahuja, Measuring the (Un)Faithfulness of Concept-Based Explanations, arXiv:2504.10833, appendix B.1"
needs = ["head_view"]
offers = ["explanation"]
seeded = true
added = ["k"]
)toml",
                    kParameters)
