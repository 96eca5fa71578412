// SPDX-License-Identifier: Apache-2.0
// Its answer to an intervention depends on how often it was asked.

#include <algorithm>

#include "conoscope/sdk/model.h"

namespace {

namespace sdk = conoscope::sdk;

class Broken final : public sdk::Model, public sdk::Intervene {
 public:
  explicit Broken(const sdk::Params&) {}
  void fit(const sdk::Arrays& dataset, const sdk::Context&, sdk::Sink& out) override {
    const sdk::Tensor concepts = dataset.get("concepts");
    const std::int64_t n = concepts.rows(), k = concepts.shape(1);
    const auto scores = out.create<double>("concept_scores", {n, k});
    concepts.for_each(
        [&](std::int64_t i, double value) { scores[static_cast<std::size_t>(i)] = value; });
    std::ranges::copy(scores, out.create<double>("concept_probabilities", {n, k}).begin());
    out.create<double>("task_outputs", {n, 3});
  }
  void intervene(const sdk::Arrays&, const sdk::Tensor&, const sdk::Context&,
                 std::span<double> outputs) override {
    std::ranges::fill(outputs, ++calls_);
  }

 private:
  double calls_ = 0.0;
};

}  // namespace

CONOSCOPE_MODEL(Broken, "intervene_counts", "1.0.0", R"toml(
summary = "has one fault"
licence = "Apache-2.0"
citation = ""
needs = ["concepts"]
offers = ["concept_view"]
seeded = false
)toml")
