// SPDX-License-Identifier: Apache-2.0
// An explainer whose projection is what it is without one: for call_cost.cc.

#include "conoscope/sdk/explainer.h"

namespace {

namespace sdk = conoscope::sdk;

class Linear final : public sdk::Explainer, public sdk::Projection {
 public:
  explicit Linear(const sdk::Params&) {}
  void fit(const sdk::HeadView&, const sdk::Context&, sdk::ExplanationOut&) override {}
  void project(const sdk::ExplanationIn& explanation, std::int64_t, const sdk::Tensor& rows,
               std::span<double> scores) override {
    const sdk::Tensor cavs = explanation.cavs();
    const auto v = cavs.values<const double>(), h = rows.values<const double>();
    const auto d = static_cast<std::size_t>(cavs.shape(1)), k = static_cast<std::size_t>(cavs.rows());
    for (std::size_t i = 0; i < scores.size(); ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < d; ++j) sum += h[i / k * d + j] * v[i % k * d + j];
      scores[i] = sum;
    }
  }
};

}  // namespace

CONOSCOPE_EXPLAINER(Linear, "linear_projection", "1.0.0", R"toml(
summary = "rows V^T"
licence = "Apache-2.0"
citation = ""
needs = ["head_view"]
offers = ["explanation"]
seeded = false
)toml")
