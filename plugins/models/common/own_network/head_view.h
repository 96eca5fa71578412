// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>

#include "plugins/models/common/own_network/block.h"

namespace conoscope::models {

/// A linear layer of a network.
struct LinearHead {
  using Weight = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  std::string name;
  Weight weight;         ///< C x F
  Eigen::VectorXf bias;  ///< C, zeros where the layer has none
};

/// How a linear head reads a layer: what explainers and metrics are told of the network.
///
///   output = weight pooling(layer) + bias
///
/// The layer gives n x D, n x D x height x width, or n x P x D. The shapes tell the pooling: `mean`
/// over positions or `flatten`, and `none` where there is one position.
class HeadView {
 public:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// The layer's output as n x P x D.
  /// where   begins the messages: the file's name
  /// throws  std::invalid_argument: it has another shape
  static Block positions(const std::string& where, const std::string& layer, Block output);

  /// Back again: n x P x D as the layer gives it. shape: of one sample there.
  static Block as_layer(const std::vector<std::int64_t>& shape, const Block& positions);

  /// output  what the layer gave for some samples
  /// throws  std::invalid_argument: the head reads neither D nor P D numbers
  HeadView(std::string where, std::string layer, const LinearHead& head, const Block& output);

  const std::string& pooling() const { return pooling_; }
  const LinearHead::Weight& weight() const { return weight_; }  ///< in the order of P x D
  const Eigen::VectorXf& bias() const { return bias_; }

  /// n x C in double, from n x P x D.
  Rows operator()(const Block& positions) const;

  /// throws  std::invalid_argument: the network's own output is further from the head's than 1e-4
  ///         of its largest number (at least 1), with how far; or of another size
  void check(const Rows& outputs, const Block& network_output) const;

 private:
  std::string where_, layer_, head_, pooling_;
  LinearHead::Weight weight_;
  Eigen::VectorXf bias_;
};

}  // namespace conoscope::models
