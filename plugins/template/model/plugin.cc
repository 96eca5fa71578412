// @ID@: nearest class mean, written as a linear head on the raw inputs. Replace it with your model.

#include <algorithm>
#include <cmath>
#include <vector>

#include "conoscope/sdk/model.h"

namespace {

namespace sdk = conoscope::sdk;

constexpr auto kParameters = sdk::parameters(
    sdk::real("sharpness", 1.0).at_least(1e-6).help("factor on all logits"));

class @CLASS@ final : public sdk::Model, public sdk::LinearHead {
 public:
  explicit @CLASS@(const sdk::ParamsOf<kParameters>& params)
      : sharpness_(params.real("sharpness")) {}

  void fit(const sdk::Arrays& dataset, const sdk::Context&, sdk::Sink& out) override {
    const sdk::Tensor inputs = dataset.get("inputs");
    const auto labels = dataset.get("labels").values<const std::int64_t>();
    const auto train = dataset.get("train_index").values<const std::int64_t>();
    if (train.empty()) throw std::invalid_argument("@ID@: there is no training sample");
    const std::int64_t samples = inputs.rows(), width = inputs.size() / samples;
    const std::int64_t classes = *std::max_element(labels.begin(), labels.end()) + 1;

    auto activations = out.create<float>("activations", {samples, 1, width});
    inputs.for_each([&](std::int64_t i, double value) {
      if (!std::isfinite(value))
        throw std::invalid_argument("@ID@: input " + std::to_string(i) + " is not finite");
      activations[static_cast<std::size_t>(i)] = static_cast<float>(value);
    });

    // -|h - m_c|^2 / 2 = <h, m_c> - |m_c|^2 / 2 + a term that all classes share.
    auto weight = out.create<double>("head_weight", {classes, width});
    auto bias = out.create<double>("head_bias", {classes});
    const auto columns = static_cast<std::size_t>(width);
    std::vector<double> members(static_cast<std::size_t>(classes));
    for (const std::int64_t row : train)
      members[static_cast<std::size_t>(labels[static_cast<std::size_t>(row)])] += 1.0;
    for (const std::int64_t row : train) {
      const auto i = static_cast<std::size_t>(row);
      const auto c = static_cast<std::size_t>(labels[i]);
      for (std::size_t d = 0; d < columns; ++d)
        weight[c * columns + d] += sharpness_ * activations[i * columns + d] / members[c];
    }
    for (std::size_t c = 0; c < bias.size(); ++c)
      for (std::size_t d = 0; d < columns; ++d)
        bias[c] -= weight[c * columns + d] * weight[c * columns + d] / (2.0 * sharpness_);
    out.text("pooling", "none");
    out.text("output", "softmax");
  }

 private:
  double sharpness_;
};

}  // namespace

CONOSCOPE_MODEL(@CLASS@, "@ID@", "0.1.0", R"toml(
summary = "one line for `conoscope plugin list`"
licence = "Apache-2.0"
citation = "who should be cited for the model"
needs = ["inputs", "labels"]
offers = ["head_view", "head"]
seeded = false
)toml", kParameters)
