#include "plugins/models/common/torch/networks.h"

#include <cmath>

namespace conoscope::models {

namespace {

constexpr double kBatchNormMomentum = 0.1, kBatchNormEpsilon = 1e-5;

}  // namespace

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

Standardise::Standardise(const Tensor& training_inputs) {
  const Tensor exact = training_inputs.to(torch::kFloat64);
  std::vector<std::int64_t> axes = {0};
  for (std::int64_t axis = 2; axis < exact.dim(); ++axis) axes.push_back(axis);
  mean_ = exact.mean(axes, /*keepdim=*/true).to(torch::kFloat32);
  const Tensor spread = exact.std(axes, /*unbiased=*/false, /*keepdim=*/true);
  scale_ = torch::where(spread > 0, spread, torch::ones_like(spread)).to(torch::kFloat32);
}

ConvBlocks::ConvBlocks(Weights& weights, const std::string& name, std::int64_t image_channels,
                       const std::vector<std::int64_t>& channels) {
  std::int64_t from = image_channels;
  for (std::size_t block = 0; block < channels.size(); ++block) {
    const std::string at = name + "." + std::to_string(block);
    const std::int64_t to = channels[block];
    blocks_.push_back({weights.matrix(at + ".kernel", {to, from, 3, 3}, std::sqrt(2.0)),
                       weights.vector(at + ".scale", to, 1.0F),
                       weights.vector(at + ".shift", to, 0.0F),
                       weights.statistic(at + ".mean", torch::zeros({to})),
                       weights.statistic(at + ".variance", torch::ones({to}))});
    from = to;
  }
}

Tensor ConvBlocks::operator()(Tensor x, bool training) const {
  for (const Block& block : blocks_) {
    x = torch::conv2d(x, block.kernel, {}, 1, 1);
    // One value has no variance.
    const bool many = x.size(0) * x.size(2) * x.size(3) > 1;
    x = torch::relu(torch::batch_norm(x, block.scale, block.shift, block.mean, block.variance,
                                      training && many, kBatchNormMomentum, kBatchNormEpsilon,
                                      /*cudnn_enabled=*/false));
    if (x.size(2) >= 2 && x.size(3) >= 2) x = torch::max_pool2d(x, 2);
  }
  return x;
}

Encoder::Encoder(Weights& weights, const std::string& name, const Tensor& training_inputs,
                 const Layers& layers, std::int64_t outputs)
    : standardise_(training_inputs) {
  std::vector<std::int64_t> widths = {training_inputs.size(1)};
  if (training_inputs.dim() == 4) {
    convolutions_.emplace_back(weights, name + ".conv", training_inputs.size(1), layers.channels);
    const torch::NoGradGuard no_grad;
    widths[0] = convolutions_[0](training_inputs.slice(0, 0, 1), false).numel();
  }
  widths.insert(widths.end(), layers.hidden.begin(), layers.hidden.end());
  widths.push_back(outputs);
  connected_.emplace_back(weights, name + ".connected", widths);
}

Tensor Encoder::operator()(const Tensor& inputs, bool training) const {
  Tensor x = standardise_(inputs);
  if (!convolutions_.empty()) x = convolutions_[0](x, training).flatten(1);
  return connected_[0](x);
}

}  // namespace conoscope::models
