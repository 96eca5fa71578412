// SPDX-License-Identifier: Apache-2.0
// Its head() forgets the bias.

#include "tests/broken_plugins/head_differs.h"

namespace {

namespace sdk = conoscope::sdk;

class Broken final : public conoscope::broken::PassOn {
 public:
  using PassOn::PassOn;
  void head(const sdk::Arrays& model, const sdk::Tensor& activations, const sdk::Context& context,
            std::span<double> outputs) override {
    LinearHead::head(model, activations, context, outputs);
    const sdk::Tensor bias = model.get("head_bias");
    bias.for_each([&](std::int64_t c, double b) {
      for (auto i = static_cast<std::size_t>(c); i < outputs.size();
           i += static_cast<std::size_t>(bias.rows()))
        outputs[i] -= b;
    });
  }
};

}  // namespace

CONOSCOPE_MODEL(Broken, "head_differs", "1.0.0", BROKEN_HEAD_METADATA)
