// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/common/torch/networks.h"

#include <cmath>

namespace conoscope::models {

Linear::Linear(Weights& weights, const std::string& name, std::int64_t from, std::int64_t to,
               double gain)
    : weight(weights.matrix(name + ".weight", {to, from}, gain)),
      bias(weights.bias(name + ".bias", to, from)) {}

Tensor Linear::operator()(const Tensor& x) const { return torch::addmm(bias, x, weight.t()); }

LayerNorm::LayerNorm(Weights& weights, const std::string& name, std::int64_t width)
    : gain(weights.vector(name + ".gain", width, 1.0F)),
      shift(weights.vector(name + ".shift", width, 0.0F)) {}

Tensor LayerNorm::operator()(const Tensor& x) const {
  return torch::layer_norm(x, {x.size(1)}, gain, shift, /*eps=*/1e-5);
}

Mlp::Mlp(Weights& weights, const std::string& name, const std::vector<std::int64_t>& widths,
         bool layer_norm) {
  for (std::size_t layer = 0; layer + 1 < widths.size(); ++layer) {
    const std::string own = name + "." + std::to_string(layer);
    const bool last = layer + 2 == widths.size();
    layers_.emplace_back(weights, own, widths[layer], widths[layer + 1],
                         last ? 1.0 : std::sqrt(2.0));
    if (layer_norm && !last) norms_.emplace_back(weights, own + ".norm", widths[layer + 1]);
  }
}

Tensor Mlp::hidden(Tensor x) const {
  for (std::size_t layer = 0; layer + 1 < layers_.size(); ++layer) {
    x = layers_[layer](x);
    x = torch::leaky_relu(norms_.empty() ? x : norms_[layer](x));
  }
  return x;
}

Mlp Mlp::in_double() const {
  Mlp out = *this;
  for (Linear& layer : out.layers_) {
    layer.weight = layer.weight.detach().to(torch::kFloat64);
    layer.bias = layer.bias.detach().to(torch::kFloat64);
  }
  for (LayerNorm& norm : out.norms_) {
    norm.gain = norm.gain.detach().to(torch::kFloat64);
    norm.shift = norm.shift.detach().to(torch::kFloat64);
  }
  return out;
}

Tensor drop(const Tensor& x, const Tensor& keep, double p) { return x * keep / (1.0 - p); }

Tensor OutputLayers::operator()(const Tensor& x, sdk::Random* random) const {
  const Tensor active = leaky_relu ? torch::leaky_relu(x) : x;
  if (random == nullptr || dropout == 0.0) return active;
  Tensor keep = torch::empty_like(active, active.options().requires_grad(false));
  float* const values = keep.data_ptr<float>();
  for (std::int64_t i = 0; i < keep.numel(); ++i)
    values[i] = random->uniform() < dropout ? 0.0F : 1.0F;
  return drop(active, keep, dropout);
}

ConvBlocks::ConvBlocks(Weights& weights, const std::string& name, std::int64_t image_channels,
                       const std::vector<std::int64_t>& channels)
    : channels_(image_channels) {
  for (std::size_t block = 0; block < channels.size(); ++block) {
    blocks_.emplace_back(weights, name + "." + std::to_string(block), channels_, channels[block],
                         3);
    channels_ = channels[block];
  }
}

Tensor ConvBlocks::operator()(Tensor x, bool training) const {
  for (const Convolution& block : blocks_) {
    x = torch::relu(block(x, training));
    if (x.size(2) >= 2 && x.size(3) >= 2) x = torch::max_pool2d(x, 2);
  }
  return x;
}

void EncoderLayers::check_fits(const Tensor& inputs) const {
  if (!residual || inputs.dim() == 4) return;
  throw sdk::NotApplicable(
      "encoder = resnet is for images (n x height x width x channels), but inputs are " +
      std::to_string(inputs.size(1)) + " columns");
}

MapLayers::MapLayers(Weights& weights, const std::string& name, std::int64_t image_channels,
                     const EncoderLayers& layers)
    : layers_([&]() -> std::variant<ConvBlocks, ResidualNetwork> {
        if (layers.residual)
          return ResidualNetwork(weights, name, image_channels, *layers.residual);
        return ConvBlocks(weights, name, image_channels, layers.channels);
      }()) {}

Tensor MapLayers::operator()(const Tensor& images, bool training) const {
  return std::visit([&](const auto& layers) { return layers(images, training); }, layers_);
}

std::int64_t MapLayers::channels() const {
  return std::visit([](const auto& layers) { return layers.channels(); }, layers_);
}

Encoder::Encoder(Weights& weights, const std::string& name, const Tensor& training_inputs,
                 const EncoderLayers& layers, std::int64_t outputs)
    : pooled_(layers.residual.has_value()) {
  layers.check_fits(training_inputs);
  if (layers.standardise) standardise_.emplace(training_inputs);
  std::vector<std::int64_t> widths = {training_inputs.size(1)};
  if (training_inputs.dim() == 4) {
    maps_.emplace(weights, name + ".conv", training_inputs.size(1), layers);
    const torch::NoGradGuard no_grad;
    widths[0] = read((*maps_)(training_inputs.slice(0, 0, 1), false)).numel();
  }
  if (!pooled_) widths.insert(widths.end(), layers.hidden.begin(), layers.hidden.end());
  widths.push_back(outputs);
  connected_.emplace(weights, name + ".connected", widths, layers.layer_norm);
}

Tensor Encoder::read(const Tensor& maps) const {
  return pooled_ ? maps.mean({2, 3}) : maps.flatten(1);
}

Tensor Encoder::operator()(const Tensor& inputs, bool training) const {
  const Tensor x = standardise_ ? (*standardise_)(inputs) : inputs;
  return (*connected_)(maps_ ? read((*maps_)(x, training)) : x);
}

}  // namespace conoscope::models
