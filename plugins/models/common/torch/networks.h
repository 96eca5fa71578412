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

/// Fully connected layers, between them torch::leaky_relu (x where x > 0, else 0.01 x).
class Mlp {
 public:
  /// widths: of the input, the hidden layers and the output; two of them make a linear map.
  Mlp(Weights& weights, const std::string& name, const std::vector<std::int64_t>& widths);

  Tensor operator()(Tensor x) const;

  Linear& last() { return layers_.back(); }
  /// A copy in double precision that no gradient reaches.
  Mlp in_double() const;

 private:
  std::vector<Linear> layers_;
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

/// What an encoder is made of.
struct EncoderLayers {
  std::vector<std::int64_t> channels;               ///< of ConvBlocks; images only
  std::vector<std::int64_t> hidden;                 ///< of the fully connected layers
  std::optional<ResidualNetwork::Layout> residual;  ///< in the place of both; images only

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
class Encoder {
 public:
  /// throws  as EncoderLayers::check_fits()
  Encoder(Weights& weights, const std::string& name, const Tensor& training_inputs,
          const EncoderLayers& layers, std::int64_t outputs);

  Tensor operator()(const Tensor& inputs, bool training) const;

 private:
  /// Of each sample's maps.
  Tensor read(const Tensor& maps) const;

  Standardise standardise_;
  bool pooled_;
  std::optional<MapLayers> maps_;
  std::optional<Mlp> connected_;
};

}  // namespace conoscope::models
