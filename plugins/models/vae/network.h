// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "plugins/models/common/torch/tensors.h"
#include "plugins/models/vae/losses.h"

namespace conoscope::models {

/// Encoder and decoder of a variational autoencoder.
///
/// Convolutional, for images: 4 x 4 convolutions of stride 2 and padding 1 with 32, 32, 64 and 64
/// channels, as many of them as start from a map whose sides are both at least 8 (64 x 64: all
/// four, to 4 x 4; 28 x 28: two, to 7 x 7; 8 x 8: one, to 4 x 4); a dense layer of `hidden` units;
/// mean and log-variance. At 64 x 64 these are the layers of Kim & Mnih, ICML 2018, with the dense
/// layer of Locatello et al., ICML 2019 (256).
///
/// Dense, for rows of numbers, or for images as such: two layers of `hidden` units, as in Higgins
/// et al., ICLR 2017 (1200).
///
/// The decoder is the encoder's mirror image, with transposed convolutions. ReLU everywhere
/// between.
///
/// Chen's multilayer perceptron, NeurIPS 2018, code beta-tcvae 1a3577d (1200 units): the dense encoder,
/// whose outputs are a pair for each latent, its mean and the logarithm of its standard deviation; a
/// decoder of three layers of `hidden` units with tanh.
enum class VaeArchitecture { kConvolutional, kDense, kChenMlp };

struct NetworkSpec {
  std::vector<std::int64_t> sample;  ///< c, h, w or f
  VaeArchitecture architecture = VaeArchitecture::kConvolutional;
  std::int64_t latents = 10, hidden = 256;
};

class VaeNetwork {
 public:
  /// throws  std::invalid_argument: convolutional, and not images with both sides at least 8
  VaeNetwork(const NetworkSpec& spec, sdk::Seed seed);

  /// M x sample -> M x latents, twice.
  Posterior encode(const Tensor& x) const;
  /// M x latents -> M x sample: logits or means, as the likelihood says.
  Tensor decode(const Tensor& z) const;

  std::vector<Tensor> parameters() const;
  /// Those that decode() needs.
  std::vector<Tensor> decoder_parameters() const;

 private:
  struct Layer {
    Tensor weight, bias;
    std::int64_t extra_height = 0, extra_width = 0;  ///< transposed: what halving rounded off
  };

  VaeArchitecture architecture_;
  std::vector<std::int64_t> sample_;  ///< c, h, w or f
  std::vector<std::int64_t> map_;     ///< the smallest map: channels, h, w; empty: dense
  std::vector<Layer> convolutions_, encoder_, decoder_, transposed_;
};

/// Whether the convolutional network takes such samples.
bool takes_convolutions(const std::vector<std::int64_t>& sample);

}  // namespace conoscope::models
