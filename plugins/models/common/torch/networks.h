#pragma once

#include <string>
#include <vector>

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
/// deviation there (by 1 where that is 0).
class Standardise {
 public:
  /// training_inputs  n x d, or n x channels x height x width
  explicit Standardise(const Tensor& training_inputs);
  Tensor operator()(const Tensor& inputs) const { return (inputs - mean_) / scale_; }

 private:
  Tensor mean_, scale_;
};

/// 3 x 3 convolutions, each with batch normalisation, ReLU and, while both sides are at least 2, a
/// 2 x 2 max pool.
class ConvBlocks {
 public:
  ConvBlocks(Weights& weights, const std::string& name, std::int64_t image_channels,
             const std::vector<std::int64_t>& channels);

  /// images -> map. training: by the batch's own statistics, which also move the running ones.
  Tensor operator()(Tensor x, bool training) const;

 private:
  struct Block {
    Tensor kernel, scale, shift, mean, variance;
  };
  std::vector<Block> blocks_;
};

/// Inputs to one vector each: standardise -> (images: ConvBlocks, flatten) -> Mlp.
class Encoder {
 public:
  struct Layers {
    std::vector<std::int64_t> channels;  ///< of the convolutions; images only
    std::vector<std::int64_t> hidden;    ///< of the fully connected layers
  };
  Encoder(Weights& weights, const std::string& name, const Tensor& training_inputs,
          const Layers& layers, std::int64_t outputs);

  Tensor operator()(const Tensor& inputs, bool training) const;

 private:
  Standardise standardise_;
  std::vector<ConvBlocks> convolutions_;  ///< none, or one
  std::vector<Mlp> connected_;            ///< one
};

}  // namespace conoscope::models
