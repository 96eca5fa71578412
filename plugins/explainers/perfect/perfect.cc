// SPDX-License-Identifier: Apache-2.0
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
    conoscope::explainers::write_perfect_parts("perfect", head, k_, out,
                                               [](double norm) { return norm; });
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
