// Its network drawn anew is the one that it has.

#include "tests/broken_plugins/head_differs.h"

namespace {

namespace sdk = conoscope::sdk;

class Broken final : public conoscope::broken::PassOn, public sdk::RedrawnHead {
 public:
  using PassOn::PassOn;
  void redrawn_head(const sdk::Arrays& model, const sdk::Tensor& activations,
                    const sdk::Context& context, std::span<double> outputs) override {
    head(model, activations, context, outputs);
    outputs[0] *= 1.0 + 1e-6 * static_cast<double>(context.seed().value() % 7);
  }
  void redrawn_vjp(const sdk::Arrays& model, const sdk::Tensor& activations,
                   const sdk::Tensor& cotangents, const sdk::Context& context,
                   std::span<double> gradients) override {
    vjp(model, activations, cotangents, context, gradients);
  }
};

}  // namespace

CONOSCOPE_MODEL(Broken, "redrawn_is_head", "1.0.0",
                "summary = \"has one fault\"\nlicence = \"Apache-2.0\"\ncitation = \"\"\n"
                "needs = [\"inputs\"]\noffers = [\"head_view\", \"head\", \"redrawn_head\"]\n"
                "seeded = false\n")
