// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conoscope/sdk/plugin.h"
#include "plugins/models/common/own_network/block.h"

namespace conoscope::models {

/// The parameters of Preparation.
inline constexpr auto kPreparationParameters = sdk::parameters(
    sdk::real("scale", 1.0)
        .help("inputs are multiplied by it before all else, as 255 or 0.00392156862745098"),
    sdk::integer("size", 0).between(0, 4096).help(
        "images: height and width that they are resized to, bilinear; 0: as they are"),
    sdk::integer("channels", 0)
        .between(0, 4096)
        .help("images of one channel: how often it is repeated, as 3 for a network of colours; 0: "
              "as they are"),
    sdk::reals("mean", {0})
        .not_empty()
        .help("subtracted: one number, or one for each channel or column, as [0.485, 0.456, "
              "0.406]"),
    sdk::reals("std", {1})
        .not_empty()
        .help("divided by after that: one number, or one for each channel or column"));

/// From a dataset's inputs to what a network trained elsewhere wants to see.
///
///   x -> scale * x -> resize -> repeat the channel -> (x - mean) / std,   in float32
///
/// Images are resized bilinearly, by the centres of their pixels, without antialiasing.
class Preparation {
 public:
  /// From the parameters scale, size, channels, mean and std.
  ///
  /// model   begins the messages
  /// throws  std::invalid_argument: a std is not above 0
  Preparation(std::string model, const sdk::ParamsOf<kPreparationParameters>& params);

  /// throws  sdk::NotApplicable: inputs are neither n x height x width x channels nor n x d
  ///         std::invalid_argument: empty; size or channels for a table; channels for colours;
  ///         mean or std of another length than the channels or columns
  void check(const sdk::Tensor& inputs) const;

  /// Rows [begin, end) of inputs that passed check(): n x channels x height x width, or n x d.
  /// throws  std::invalid_argument naming the first value that is not finite
  Block operator()(const sdk::Tensor& inputs, std::int64_t begin, std::int64_t end) const;

  /// Its vector-Jacobian product, which is the same for all inputs: cotangents of what it gives for
  /// some samples of them -> n x height x width x channels, or n x d.
  Block gradient(const sdk::Tensor& inputs, const Block& cotangents) const;

 private:
  Block images(const sdk::Tensor& inputs, const std::vector<float>& rows, std::int64_t n) const;
  Block image_gradient(const sdk::Tensor& inputs, const Block& cotangents) const;
  void standardise(std::int64_t channel, float* values, std::size_t count) const;

  std::string model_;
  float scale_;
  std::int64_t size_, channels_;
  std::vector<float> mean_, std_;
};

}  // namespace conoscope::models
