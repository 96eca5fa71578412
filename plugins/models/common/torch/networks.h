// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "plugins/models/common/torch/convolution.h"
#include "plugins/models/common/torch/residual.h"
#include "plugins/models/common/torch/weights.h"

namespace conoscope::models {

/// x -> x W^T + b, n x from -> n x to.
struct Linear {
  Tensor weight, bias;
  Linear(Weights& weights, const std::string& name, std::int64_t from, std::int64_t to,
         double gain = 1.0);
  Tensor operator()(const Tensor& x) const;
};

/// Of each sample's units: less their mean, divided by their standard deviation, times a gain, plus a
/// shift. Source: Ba, Kiros & Hinton, Layer Normalization, 2016; epsilon 1e-5 as in PyTorch.
struct LayerNorm {
  Tensor gain, shift;
  LayerNorm(Weights& weights, const std::string& name, std::int64_t width);
  Tensor operator()(const Tensor& x) const;
};

/// Fully connected layers; each hidden one is followed by torch::leaky_relu (x where x > 0, else 0.01
/// x), and if asked for by a LayerNorm before that.
class Mlp {
 public:
  /// widths: of the input, the hidden layers and the output; two of them make a linear map.
  Mlp(Weights& weights, const std::string& name, const std::vector<std::int64_t>& widths,
      bool layer_norm = false);

  Tensor operator()(const Tensor& x) const { return layers_.back()(hidden(x)); }
  /// The last hidden layer's units, as the output layer reads them.
  Tensor hidden(Tensor x) const;

  Linear& last() { return layers_.back(); }
  /// A copy in double precision that no gradient reaches.
  Mlp in_double() const;

 private:
  std::vector<Linear> layers_;
  std::vector<LayerNorm> norms_;  ///< of the hidden layers, or none
};

/// Each input column or image channel less its mean over the training rows, divided by its standard
/// deviation there: see spread_of().
class Standardise {
 public:
  /// training_inputs  n x d, or n x channels x height x width
  explicit Standardise(const Tensor& training_inputs) : of_(spread_of(training_inputs)) {}
  Tensor operator()(const Tensor& inputs) const { return (inputs - of_.mean) / of_.scale; }

 private:
  Spread of_;
};

/// 3 x 3 convolutions, each with batch normalisation, ReLU and, while both sides are at least 2, a
/// 2 x 2 max pool.
class ConvBlocks {
 public:
  ConvBlocks(Weights& weights, const std::string& name, std::int64_t image_channels,
             const std::vector<std::int64_t>& channels);

  /// images -> map. training: as of Convolution.
  Tensor operator()(Tensor x, bool training) const;
  std::int64_t channels() const { return channels_; }

 private:
  std::vector<Convolution> blocks_;
  std::int64_t channels_;
};

/// What an encoder's output passes before it is read.
struct OutputLayers {
  bool leaky_relu = false;
  double dropout = 0.0;  ///< the probability with which training sets a number to 0

  /// random: of a training step, null outside of training
  Tensor operator()(const Tensor& x, sdk::Random* random) const;
};

/// Dropout by a given mask: 0 where an entry is dropped, the others multiplied by 1 / (1 - p).
Tensor drop(const Tensor& x, const Tensor& keep, double p);

/// What an encoder is made of.
struct EncoderLayers {
  std::vector<std::int64_t> channels;               ///< of ConvBlocks; images only
  std::vector<std::int64_t> hidden;                 ///< of the fully connected layers
  std::optional<ResidualNetwork::Layout> residual;  ///< in the place of both; images only
  bool layer_norm = false;                          ///< in the fully connected hidden layers
  bool standardise = true;                          ///< the inputs, first of all

  /// throws  sdk::NotApplicable: a residual network, but inputs that are no images
  void check_fits(const Tensor& inputs) const;
};

/// Images to maps, by ConvBlocks or by a ResidualNetwork.
class MapLayers {
 public:
  MapLayers(Weights& weights, const std::string& name, std::int64_t image_channels,
            const EncoderLayers& layers);

  Tensor operator()(const Tensor& images, bool training) const;
  std::int64_t channels() const;

 private:
  std::variant<ConvBlocks, ResidualNetwork> layers_;
};

/// Inputs to one vector each.
///
///   tables            standardise -> Mlp
///   images            standardise -> ConvBlocks, flatten -> Mlp
///   images, residual  standardise -> ResidualNetwork, mean over positions -> a linear map
///
/// Inputs are standardised unless the layers say otherwise.
class Encoder {
 public:
  /// throws  as EncoderLayers::check_fits()
  Encoder(Weights& weights, const std::string& name, const Tensor& training_inputs,
          const EncoderLayers& layers, std::int64_t outputs);

  Tensor operator()(const Tensor& inputs, bool training) const;

 private:
  /// Of each sample's maps.
  Tensor read(const Tensor& maps) const;

  std::optional<Standardise> standardise_;
  bool pooled_;
  std::optional<MapLayers> maps_;
  std::optional<Mlp> connected_;
};

}  // namespace conoscope::models
