// SPDX-License-Identifier: Apache-2.0
// A network of the user's own, as a TorchScript file.

#include "plugins/models/torchscript/script.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

constexpr auto kParameters = sdk::parameters(
    sdk::file("file").help("what torch.jit.save() wrote"),
    sdk::text("layer").help(
        "name of the submodule whose output the head's pooling reads, as layer4 or features.3"),
    sdk::text("head", "")
        .help("name of the linear submodule that gives the output; empty: the last one after the "
              "layer"),
    sdk::text("above", "linear")
        .choices({"linear", "network"})
        .help("what lies between the layer and the output: pooling and the head alone, or more of "
              "the network"),
    kOwnNetworkParameters);

class TorchScript final : public OwnNetwork, public sdk::ForwardGradient, public sdk::RedrawnHead {
 public:
  explicit TorchScript(const sdk::ParamsOf<kParameters>& params)
      : OwnNetwork("torchscript", params, above_of(params)), above_(above_of(params)) {}

  void forward_gradient(const sdk::Arrays&, const sdk::Tensor& inputs,
                        const sdk::Tensor& cotangents, const sdk::Context& context,
                        std::span<double> gradients) override {
    answer_forward_gradient(inputs, cotangents, context, gradients);
  }

  void redrawn_head(const sdk::Arrays& model, const sdk::Tensor& activations,
                    const sdk::Context& context, std::span<double> outputs) override {
    answer_head(redrawn(context.seed()), model, activations, context, outputs);
  }
  void redrawn_vjp(const sdk::Arrays& model, const sdk::Tensor& activations,
                   const sdk::Tensor& cotangents, const sdk::Context& context,
                   std::span<double> gradients) override {
    answer_vjp(redrawn(context.seed()), model, activations, cotangents, context, gradients);
  }

 private:
  static Above above_of(const sdk::ParamsOf<kParameters>& params) {
    return params.text("above") == "network" ? Above::kNetwork : Above::kLinear;
  }
  std::unique_ptr<Network> open(const std::string& file, const std::string& layer,
                                const std::string& head) const override {
    return std::make_unique<Script>(file, layer, head, above_);
  }

  Above above_;
};

}  // namespace

CONOSCOPE_MODEL(TorchScript, "torchscript", "1.0.1", R"(
summary = "a network of your own in a TorchScript file: a layer that you name, and its linear head"
licence = "Apache-2.0"
citation = ""
needs = ["inputs"]
offers = ["head_view", "forward", "head", "redrawn_head"]
seeded = false
added = ["above"]
)",
                kParameters)
