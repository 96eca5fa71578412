// A network of the user's own, as an ONNX file.

#include "plugins/models/onnx/onnx_network.h"

namespace {

namespace sdk = conoscope::sdk;
using namespace conoscope::models;

class Onnx final : public OwnNetwork {
 public:
  explicit Onnx(const sdk::Params& params) : OwnNetwork("onnx", params) {}

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
offers = ["head_view", "images", "forward"]
seeded = false

[parameters.file]
type = "file"
help = "an .onnx file with its weights, as torch.onnx.export() writes it"

[parameters.layer]
type = "text"
help = "name of the node whose output the head's pooling reads, or of that output, as /layer4/layer4.1/relu_1/Relu"

[parameters.head]
type = "text"
default = ""
help = "name of the linear node that gives the output, or of its output; empty: the last one after the layer"
)" CONOSCOPE_OWN_NETWORK_PARAMETERS)
