// SPDX-License-Identifier: Apache-2.0
// An explainer that asks the model for the gradients of its outputs: the mean of an output's is its one
// concept. Refuses an answer that is not that of the logits and of the head that it is shown.

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "conoscope/sdk/explainer.h"

namespace {

namespace sdk = conoscope::sdk;

double largest_difference(const std::vector<double>& a, const sdk::Tensor& b) {
  double out = 0.0;
  b.for_each([&](std::int64_t i, double value) {
    out = std::max(out, std::abs(a[static_cast<std::size_t>(i)] - value));
  });
  return out;
}

class MeanGradients final : public sdk::Explainer, public sdk::ModelUser {
 public:
  explicit MeanGradients(const sdk::Params&) {}

  void fit(const sdk::HeadView&, const sdk::Context&, sdk::ExplanationOut&) override {
    throw sdk::NotApplicable("mean_gradients needs the head");
  }

  void fit_with_model(const sdk::HeadView& head, const sdk::ModelCall& model, const sdk::Context&,
                      sdk::ExplanationOut& out) override {
    if (model.offers_forward() || !model.offers_head() || !model.offers_vjp())
      throw std::logic_error("what was not asked for is there, or what was is not");
    const sdk::Tensor activations = head.activations();
    const std::int64_t n = head.samples(), classes = head.outputs(), width = head.width();
    std::vector<double> answers(static_cast<std::size_t>(n * classes));
    model.head(activations, answers, classes);
    if (largest_difference(answers, head.logits()) > 1e-4)
      throw std::runtime_error("head: not the logits that are shown");

    std::vector<double> mean(static_cast<std::size_t>(classes * width));
    std::vector<double> gradients(static_cast<std::size_t>(activations.size()));
    for (std::int64_t c = 0; c < classes; ++c) {
      std::vector<double> unit(answers.size());
      for (std::int64_t i = 0; i < n; ++i) unit[static_cast<std::size_t>(i * classes + c)] = 1.0;
      const std::int64_t shape[] = {n, classes};
      model.vjp(activations, sdk::Tensor(sdk::make_tensor(unit.data(), CONO_F64, shape)),
                gradients);
      for (std::size_t i = 0; i < gradients.size(); ++i)
        mean[static_cast<std::size_t>(c * width) + i % static_cast<std::size_t>(width)] +=
            gradients[i] / static_cast<double>(n);
    }
    if (largest_difference(mean, head.weight()) > 1e-6)
      throw std::runtime_error("vjp: its mean is not the reading that is shown");

    const std::vector<std::int64_t> one(static_cast<std::size_t>(classes), 1);
    const sdk::Explanation explanation = out.class_specific(one, width);
    std::copy(mean.begin(), mean.end(), explanation.cavs.begin());
    std::fill(explanation.importance.begin(), explanation.importance.end(), 1.0);
  }
};

}  // namespace

CONOSCOPE_EXPLAINER(MeanGradients, "mean_gradients", "1.0.0", R"toml(
summary = "the mean gradient of each output"
licence = "Apache-2.0"
citation = ""
needs = ["head_view", "head"]
offers = ["explanation"]
seeded = false
)toml")
