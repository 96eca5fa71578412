// SPDX-License-Identifier: Apache-2.0
// A network of the user's own, as an ONNX file.

#include "plugins/models/onnx/onnx_network.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

constexpr auto kParameters = sdk::parameters(
    sdk::file("file").help("an .onnx file with its weights, as torch.onnx.export() writes it"),
    sdk::text("layer").help("name of the node whose output the head's pooling reads, or of that "
                            "output, as /layer4/layer4.1/relu_1/Relu"),
    sdk::text("head", "")
        .help("name of the linear node that gives the output, or of its output; empty: the last "
              "one after the layer"),
    kOwnNetworkParameters);

class Onnx final : public OwnNetwork {
 public:
  explicit Onnx(const sdk::ParamsOf<kParameters>& params) : OwnNetwork("onnx", params) {}

 private:
  std::unique_ptr<Network> open(const std::string& file, const std::string& layer,
                                const std::string& head) const override {
    return std::make_unique<OnnxNetwork>(file, layer, head);
  }
};

}  // namespace

CONOSCOPE_MODEL(Onnx, "onnx", "1.0.0", R"(
summary = "a network of your own in an ONNX file: a node that you name, and its linear head"
licence = "Apache-2.0"
citation = ""
needs = ["inputs"]
offers = ["head_view", "forward", "head"]
seeded = false
)",
                kParameters)
