// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/vae/network.h"

#include <cmath>
#include <stdexcept>

#include "plugins/models/common/torch/training.h"

namespace conoscope::models {

namespace {

constexpr std::int64_t kChannels[] = {32, 32, 64, 64};
constexpr std::int64_t kKernel = 4, kStride = 2, kPadding = 1, kLeastSide = 8;
const double kBeforeRelu = std::sqrt(2.0);

std::int64_t product(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  return count;
}

}  // namespace

bool takes_convolutions(const std::vector<std::int64_t>& sample) {
  return sample.size() == 3 && sample[1] >= kLeastSide && sample[2] >= kLeastSide;
}

VaeNetwork::VaeNetwork(const NetworkSpec& spec, sdk::Seed seed)
    : architecture_(spec.architecture), sample_(spec.sample) {
  const bool convolutional = spec.architecture == VaeArchitecture::kConvolutional;
  const bool chen = spec.architecture == VaeArchitecture::kChenMlp;
  if (convolutional && !takes_convolutions(sample_))
    throw std::invalid_argument(
        "architecture: convolutions need images with both sides at least 8; choose \"dense\"");
  const auto dense = [](std::int64_t from, std::int64_t to, double gain, sdk::Seed of_layer) {
    return Layer{initial_weights({to, from}, gain, of_layer), initial_bias(to)};
  };

  std::int64_t inner = product(sample_);
  if (convolutional) {
    std::int64_t channels = sample_[0], height = sample_[1], width = sample_[2];
    std::uint64_t index = 0;
    for (const std::int64_t next : kChannels) {
      if (height < kLeastSide || width < kLeastSide) break;
      convolutions_.push_back({initial_weights({next, channels, kKernel, kKernel}, kBeforeRelu,
                                               seed.child("convolution").child(index)),
                               initial_bias(next)});
      // A transposed kernel is `next` x `channels`; at stride 2 an output sees a quarter of it for
      // each of the `next` maps. initial_weights() takes all axes but the first for what is seen.
      const double seen = static_cast<double>(next * kKernel * kKernel / (kStride * kStride));
      const double gain = index == 0 ? 1.0 : kBeforeRelu;
      transposed_.insert(
          transposed_.begin(),
          {initial_weights(
               {next, channels, kKernel, kKernel},
               gain * std::sqrt(static_cast<double>(channels * kKernel * kKernel) / seen),
               seed.child("transposed").child(index)),
           initial_bias(channels), height % kStride, width % kStride});
      channels = next;
      height /= kStride;
      width /= kStride;
      ++index;
    }
    map_ = {channels, height, width};
    inner = product(map_);
  }
  // The decoder's last dense layer is followed by a ReLU only where convolutions follow.
  encoder_.push_back(dense(inner, spec.hidden, kBeforeRelu, seed.child("encoder").child(0)));
  const double inside = chen ? 1.0 : kBeforeRelu;  // of the decoder: tanh
  decoder_.push_back(dense(spec.latents, spec.hidden, inside, seed.child("decoder").child(0)));
  if (!convolutional) {
    encoder_.push_back(
        dense(spec.hidden, spec.hidden, kBeforeRelu, seed.child("encoder").child(1)));
    decoder_.push_back(dense(spec.hidden, spec.hidden, inside, seed.child("decoder").child(1)));
  }
  if (chen)
    decoder_.push_back(dense(spec.hidden, spec.hidden, inside, seed.child("decoder").child(3)));
  encoder_.push_back(dense(spec.hidden, 2 * spec.latents, 1.0, seed.child("posterior")));
  decoder_.push_back(
      dense(spec.hidden, inner, convolutional ? kBeforeRelu : 1.0, seed.child("decoder").child(2)));
}

Posterior VaeNetwork::encode(const Tensor& x) const {
  Tensor h = x;
  for (const Layer& layer : convolutions_)
    h = torch::relu(torch::conv2d(h, layer.weight, layer.bias, kStride, kPadding));
  h = h.flatten(1);
  for (std::size_t i = 0; i < encoder_.size(); ++i) {
    h = torch::addmm(encoder_[i].bias, h, encoder_[i].weight.t());
    if (i + 1 < encoder_.size()) h = torch::relu(h);
  }
  if (architecture_ == VaeArchitecture::kChenMlp) {
    const Tensor pairs = h.view({h.size(0), -1, 2});
    return {pairs.select(2, 0), 2.0 * pairs.select(2, 1)};
  }
  const std::vector<Tensor> halves = h.chunk(2, 1);
  return {halves[0], halves[1]};
}

Tensor VaeNetwork::decode(const Tensor& z) const {
  Tensor h = z;
  for (std::size_t i = 0; i < decoder_.size(); ++i) {
    h = torch::addmm(decoder_[i].bias, h, decoder_[i].weight.t());
    if (i + 1 < decoder_.size() || !transposed_.empty())
      h = architecture_ == VaeArchitecture::kChenMlp ? torch::tanh(h) : torch::relu(h);
  }
  if (!transposed_.empty()) h = h.view({-1, map_[0], map_[1], map_[2]});
  for (std::size_t i = 0; i < transposed_.size(); ++i) {
    const Layer& layer = transposed_[i];
    h = torch::conv_transpose2d(h, layer.weight, layer.bias, kStride, kPadding,
                                {layer.extra_height, layer.extra_width});
    if (i + 1 < transposed_.size()) h = torch::relu(h);
  }
  std::vector<std::int64_t> shape = {z.size(0)};
  shape.insert(shape.end(), sample_.begin(), sample_.end());
  return h.reshape(shape);
}

std::vector<Tensor> VaeNetwork::decoder_parameters() const {
  std::vector<Tensor> out;
  for (const auto* layers : {&decoder_, &transposed_})
    for (const Layer& layer : *layers) {
      out.push_back(layer.weight);
      out.push_back(layer.bias);
    }
  return out;
}

std::vector<Tensor> VaeNetwork::parameters() const {
  std::vector<Tensor> all;
  for (const auto* layers : {&convolutions_, &encoder_, &decoder_, &transposed_})
    for (const Layer& layer : *layers) {
      all.push_back(layer.weight);
      all.push_back(layer.bias);
    }
  return all;
}

}  // namespace conoscope::models
