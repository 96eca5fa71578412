// @ID@: the largest error of the surrogate, over samples and outputs. Replace it with your metric.

#include <algorithm>
#include <cmath>
#include <vector>

#include "conoscope/sdk/metric.h"

namespace {

namespace sdk = conoscope::sdk;

class @CLASS@ final : public sdk::Metric {
 public:
  explicit @CLASS@(const sdk::Params&) {}

  void score(const sdk::Subject& subject, const sdk::Context&, sdk::Scores& out) override {
    if (subject.text("scope") != "class_specific" || subject.text("pooling") == "flatten")
      return out.not_applicable("@ID@", "it looks at class-specific concepts of pooled features");
    const sdk::Tensor activations = subject.get("activations");
    const std::int64_t samples = activations.rows();
    const std::int64_t width = activations.shape(activations.dimensions() - 1);
    const std::int64_t positions = activations.size() / samples / width;
    std::vector<double> pooled(static_cast<std::size_t>(samples * width));
    activations.for_each([&](std::int64_t i, double value) {
      if (!std::isfinite(value))
        throw std::invalid_argument("@ID@: activation " + std::to_string(i) + " is not finite");
      pooled[static_cast<std::size_t>(i / (positions * width) * width + i % width)] +=
          value / static_cast<double>(positions);
    });
    const sdk::Tensor rows(
        sdk::make_tensor(pooled.data(), CONO_F64, std::vector<std::int64_t>{samples, width}));

    const auto logits = subject.get("logits").values<const double>();
    const auto importance = subject.get("importance").values<const double>();
    const auto counts = subject.get("counts").values<const std::int64_t>();
    std::vector<double> bias;
    subject.get("head_bias").for_each([&](std::int64_t, double b) { bias.push_back(b); });
    double largest = 0.0;
    std::size_t first = 0;
    for (std::size_t c = 0; c < counts.size(); ++c) {
      const auto k = static_cast<std::size_t>(counts[c]);
      std::vector<double> psi(static_cast<std::size_t>(samples) * k);
      if (k > 0)
        subject.project(static_cast<std::int64_t>(c), rows,
                        sdk::Tensor(sdk::make_tensor(
                            psi.data(), CONO_F64, std::vector<std::int64_t>{samples, counts[c]})));
      for (std::size_t i = 0; i < static_cast<std::size_t>(samples); ++i) {
        double surrogate = bias[c];
        for (std::size_t j = 0; j < k; ++j) surrogate += importance[first + j] * psi[i * k + j];
        largest = std::max(largest, std::abs(surrogate - logits[i * counts.size() + c]));
      }
      first += k;
    }
    out.score("@ID@", largest);
  }
};

}  // namespace

CONOSCOPE_METRIC(@CLASS@, "@ID@", "0.1.0", R"toml(
summary = "one line for `conoscope plugin list`"
licence = "Apache-2.0"
citation = "who should be cited for the metric"
needs = ["head_view", "explanation"]
seeded = false

[scores.@ID@]
direction = "lower"
low = 0
unit = "logit"
question = "How far is the surrogate from the model at its worst?"
)toml")
