// SPDX-License-Identifier: Apache-2.0
// What forward() makes of an image is not what fit() made of it.

#include <cmath>

#include "conoscope/sdk/model.h"

namespace {

namespace sdk = conoscope::sdk;

class Broken final : public sdk::Model, public sdk::Forward {
 public:
  explicit Broken(const sdk::Params&) {}
  void fit(const sdk::Arrays& dataset, const sdk::Context&, sdk::Sink& out) override {
    const sdk::Tensor inputs = dataset.get("inputs");
    if (inputs.rows() == 0) throw std::invalid_argument("inputs: no row");
    inputs.for_each([](std::int64_t, double value) {
      if (!std::isfinite(value)) throw std::invalid_argument("inputs: not finite");
    });
    const std::int64_t width = inputs.size() / inputs.rows();
    const auto activations = out.create<double>("activations", {inputs.rows(), 1, width});
    inputs.for_each(
        [&](std::int64_t i, double value) { activations[static_cast<std::size_t>(i)] = value; });
    out.create<double>("head_weight", {2, width});
    out.create<double>("head_bias", {2});
    out.text("pooling", "none");
  }
  void forward(const sdk::Arrays&, const sdk::Tensor& inputs, const sdk::Context&,
               std::span<double> activations) override {
    inputs.for_each([&](std::int64_t i, double value) {
      activations[static_cast<std::size_t>(i)] = value / 255.0;  // scaled once too often
    });
  }
};

}  // namespace

CONOSCOPE_MODEL(Broken, "forward_differs", "1.0.0", R"toml(
summary = "has one fault"
licence = "Apache-2.0"
citation = ""
needs = ["inputs"]
offers = ["head_view", "forward"]
seeded = false
)toml")
