#include "plugins/models/common/torch/networks.h"

#include <cmath>

namespace conoscope::models {

Linear::Linear(Weights& weights, const std::string& name, std::int64_t from, std::int64_t to,
               double gain)
    : weight(weights.matrix(name + ".weight", {to, from}, gain)),
      bias(weights.vector(name + ".bias", to, 0.0F)) {}

Tensor Linear::operator()(const Tensor& x) const { return torch::addmm(bias, x, weight.t()); }

Mlp::Mlp(Weights& weights, const std::string& name, const std::vector<std::int64_t>& widths) {
  for (std::size_t layer = 0; layer + 1 < widths.size(); ++layer) {
    const double gain = layer + 2 < widths.size() ? std::sqrt(2.0) : 1.0;
    layers_.emplace_back(weights, name + "." + std::to_string(layer), widths[layer],
                         widths[layer + 1], gain);
  }
}

Tensor Mlp::operator()(Tensor x) const {
  for (std::size_t layer = 0; layer < layers_.size(); ++layer)
    x = layers_[layer](layer == 0 ? x : torch::leaky_relu(x));
  return x;
}

Mlp Mlp::in_double() const {
  Mlp out = *this;
  for (Linear& layer : out.layers_) {
    layer.weight = layer.weight.detach().to(torch::kFloat64);
    layer.bias = layer.bias.detach().to(torch::kFloat64);
  }
  return out;
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
    : standardise_(training_inputs), pooled_(layers.residual.has_value()) {
  layers.check_fits(training_inputs);
  std::vector<std::int64_t> widths = {training_inputs.size(1)};
  if (training_inputs.dim() == 4) {
    maps_.emplace(weights, name + ".conv", training_inputs.size(1), layers);
    const torch::NoGradGuard no_grad;
    widths[0] = read((*maps_)(training_inputs.slice(0, 0, 1), false)).numel();
  }
  if (!pooled_) widths.insert(widths.end(), layers.hidden.begin(), layers.hidden.end());
  widths.push_back(outputs);
  connected_.emplace(weights, name + ".connected", widths);
}

Tensor Encoder::read(const Tensor& maps) const {
  return pooled_ ? maps.mean({2, 3}) : maps.flatten(1);
}

Tensor Encoder::operator()(const Tensor& inputs, bool training) const {
  const Tensor x = standardise_(inputs);
  return (*connected_)(maps_ ? read((*maps_)(x, training)) : x);
}

}  // namespace conoscope::models
