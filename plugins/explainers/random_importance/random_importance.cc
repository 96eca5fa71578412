// SPDX-License-Identifier: Apache-2.0
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
    sdk::Random random(context.seed().child("importance"));
    conoscope::explainers::write_perfect_parts("random_importance", head, k_, out,
                                               [&random](double) { return random.uniform(); });
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
