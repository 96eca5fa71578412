// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/script.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "conoscope/sdk/random.h"

namespace conoscope::testing {

using torch::jit::Module;

/// Modules as a user's file holds them, with weights from a seed. libtorch takes two seconds and a
/// GiB to compile a method, so a class is compiled once and copied after that.
class Builder {
 public:
  Module linear(std::int64_t from, std::int64_t to) {
    Module module("Linear");
    module.register_parameter("weight", draw({to, from}), false);
    module.register_parameter("bias", draw({to}), false);
    module.define("def forward(self, x):\n  return torch.addmm(self.bias, x, self.weight.t())\n");
    return module;
  }

  /// With batch normalisation.
  Module conv(std::int64_t from, std::int64_t to, int side, int stride) {
    if (const auto known = convolutions_.find({side, stride}); known != convolutions_.end()) {
      Module module = known->second.deepcopy();
      module.setattr("weight", draw({to, from, side, side}));
      module.setattr("scale", torch::ones({to}));
      module.setattr("shift", draw({to}));
      module.setattr("mean", draw({to}));
      module.setattr("variance", torch::full({to}, 2.0));
      return module;
    }
    Module module("Conv");
    module.register_parameter("weight", draw({to, from, side, side}), false);
    module.register_parameter("scale", torch::ones({to}), false);
    module.register_parameter("shift", draw({to}), false);
    module.register_buffer("mean", draw({to}));
    module.register_buffer("variance", torch::full({to}, 2.0));
    const std::string s = std::to_string(stride), p = std::to_string(side / 2);
    module.define("def forward(self, x):\n  y = torch.conv2d(x, self.weight, None, [" + s + ", " +
                  s + "], [" + p + ", " + p +
                  "])\n  return torch.batch_norm(y, self.scale, self.shift, self.mean, "
                  "self.variance, False, 0.1, 1e-05, False)\n");
    convolutions_.insert({{side, stride}, module});
    return module;
  }

  Module block(std::int64_t from, std::int64_t to, int stride) {
    return of_parts("BasicBlock " + std::to_string(stride),
                    {{"conv1", conv(from, to, 3, stride)},
                     {"conv2", conv(to, to, 3, 1)},
                     {"downsample", conv(from, to, 1, stride)}},
                    R"(
def forward(self, x):
  y = self.conv2.forward(torch.relu(self.conv1.forward(x)))
  return torch.relu(y + self.downsample.forward(x))
)");
  }

  Module stage(std::int64_t from, std::int64_t to, int stride) {
    return of_parts("Stage " + std::to_string(stride),
                    {{"first", block(from, to, stride)}, {"second", block(to, to, 1)}},
                    "def forward(self, x):\n  return self.second.forward(self.first.forward(x))\n");
  }

  /// ResNet-18, an eighth as wide, as torchvision lays it out.
  Module resnet18(const std::string& pooled = "torch.flatten(self.pool(self.body(x)), 1)",
                  const std::string& answer = "self.fc.forward(h)") {
    Module module("ResNet");
    module.register_module("conv1", conv(3, 8, 7, 2));
    module.register_module("unused", linear(3, 3));
    module.register_module("layer1", stage(8, 8, 1));
    module.register_module("layer2", stage(8, 16, 2));
    module.register_module("layer3", stage(16, 32, 2));
    module.register_module("layer4", stage(32, 64, 2));
    module.register_module("fc", linear(64, 10));
    module.define(R"(
def pool(self, x):
  return torch.adaptive_avg_pool2d(x, [1, 1])

def body(self, x):
  x = torch.max_pool2d(torch.relu(self.conv1.forward(x)), [3, 3], [2, 2], [1, 1])
  return self.layer4.forward(self.layer3.forward(self.layer2.forward(self.layer1.forward(x))))

def forward(self, x):
  h = )" + pooled +
                  "\n  return " + answer + "\n");
    return module;
  }

  /// conv -> ReLU -> flatten -> fc; the ReLU is part of the layer.
  Module flattened() {
    Module features("Features");
    features.register_module("conv", conv(1, 3, 3, 2));
    features.define("def forward(self, x):\n  return torch.relu(self.conv.forward(x))\n");
    Module module("Flattened");
    module.register_module("features", features);
    module.register_module("fc", linear(3 * 4 * 4, 10));
    module.define(
        "def forward(self, x):\n  return self.fc.forward(torch.flatten(self.features.forward(x), "
        "1))\n");
    return module;
  }

  /// A layer of as many positions as the sample's first number says.
  Module growing() {
    Module layer("Layer");
    layer.define("def forward(self, x):\n  return x.unsqueeze(1).repeat([1, int(x[0][0]), 1])\n");
    Module module("Growing");
    module.register_module("layer", layer);
    module.register_module("fc", linear(4, 2));
    module.define(
        "def forward(self, x):\n  return self.fc.forward(torch.mean(self.layer.forward(x), "
        "[1]))\n");
    return module;
  }

  /// For tables; body is what forward() does.
  Module tabular(const std::string& body) {
    Module module("Tabular");
    module.register_module("hidden", linear(4, 6));
    module.register_module("fc", linear(6, 2));
    module.define("def forward(self, x):\n" + body);
    return module;
  }

  torch::Tensor draw(std::vector<std::int64_t> shape) {
    torch::Tensor out = torch::empty(shape);
    const double fan_in = shape.size() == 1
                              ? 100.0
                              : static_cast<double>(out.numel()) / static_cast<double>(shape[0]);
    for (std::int64_t i = 0; i < out.numel(); ++i)
      out.data_ptr<float>()[i] = static_cast<float>(std::sqrt(2.0 / fan_in) * random_.normal());
    return out;
  }

 private:
  Module of_parts(const std::string& kind, const std::vector<std::pair<std::string, Module>>& parts,
                  const std::string& forward) {
    if (const auto known = composed_.find(kind); known != composed_.end()) {
      Module module = known->second.deepcopy();
      for (const auto& [name, part] : parts) module.setattr(name, part._ivalue());
      return module;
    }
    Module module(kind.substr(0, kind.find(' ')));
    for (const auto& [name, part] : parts) module.register_module(name, part);
    module.define(forward);
    composed_.insert({kind, module});
    return module;
  }

  sdk::Random random_{sdk::Seed(3)};
  std::map<std::pair<int, int>, Module> convolutions_;  // by side and stride
  std::map<std::string, Module> composed_;
};

}  // namespace conoscope::testing
