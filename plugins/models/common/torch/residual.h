// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plugins/models/common/torch/convolution.h"

namespace conoscope::models {

/// x -> conv 3x3, BN, ReLU, conv 3x3, BN -> add the shortcut of x -> ReLU
class ResidualBlock {
 public:
  /// stride      of the first convolution; 2 where a stage begins that halves the resolution
  /// projection  the shortcut where stride is not 1: B, a 1 x 1 convolution with batch normalisation;
  ///             else A, every other pixel and channels of zeros
  ResidualBlock(Weights& weights, const std::string& name, std::int64_t from, std::int64_t to,
                std::int64_t stride, bool projection);

  Tensor operator()(const Tensor& x, bool training) const;

 private:
  Tensor shortcut(const Tensor& x, bool training) const;

  Convolution first_, second_;
  std::optional<Convolution> projection_;
  std::int64_t stride_, added_;
};

/// Stages of residual blocks. Each stage after the first halves the resolution and doubles the
/// channels.
class ResidualStages {
 public:
  /// name    before the names of all weights; may be empty
  /// width   channels of the maps, and of the first stage
  /// blocks  of each stage
  ResidualStages(Weights& weights, const std::string& name, std::int64_t width,
                 const std::vector<std::int64_t>& blocks, bool projections);

  /// Stages from ... to - 1.
  Tensor run(Tensor x, std::size_t from, std::size_t to, bool training) const;
  std::size_t count() const { return stages_.size(); }
  std::int64_t channels() const { return channels_; }  ///< of the last stage

 private:
  std::vector<std::vector<ResidualBlock>> stages_;
  std::int64_t channels_;
};

/// The residual network of He et al., Deep Residual Learning for Image Recognition, CVPR 2016, up to
/// its average pool: conv 7x7 of stride 2, BN, ReLU -> max pool 3x3 of stride 2 -> stages of blocks
/// with shortcut B. Two blocks in each of four stages, 64 channels in the first: ResNet-18.
class ResidualNetwork {
 public:
  struct Layout {
    std::int64_t width;                ///< channels of the first stage
    std::vector<std::int64_t> blocks;  ///< of each stage
  };
  ResidualNetwork(Weights& weights, const std::string& name, std::int64_t image_channels,
                  const Layout& layout);

  /// images -> maps, a 32nd as high and wide when there are four stages.
  Tensor operator()(const Tensor& images, bool training) const;
  std::int64_t channels() const { return stages_.channels(); }

 private:
  Convolution stem_;
  ResidualStages stages_;
};

}  // namespace conoscope::models
