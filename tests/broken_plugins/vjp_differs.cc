// SPDX-License-Identifier: Apache-2.0
// Its vjp() forgets that the head averages over positions.

#include "tests/broken_plugins/head_differs.h"

namespace {

namespace sdk = conoscope::sdk;

class Broken final : public conoscope::broken::PassOn {
 public:
  using PassOn::PassOn;
  void vjp(const sdk::Arrays& model, const sdk::Tensor& activations, const sdk::Tensor& cotangents,
           const sdk::Context& context, std::span<double> gradients) override {
    LinearHead::vjp(model, activations, cotangents, context, gradients);
    for (double& g : gradients) g *= static_cast<double>(activations.shape(1));
  }
};

}  // namespace

CONOSCOPE_MODEL(Broken, "vjp_differs", "1.0.0", BROKEN_HEAD_METADATA)
