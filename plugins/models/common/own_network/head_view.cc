// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/common/own_network/head_view.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace conoscope::models {

namespace {

// Of the largest output, or of 1: float32 sums of some thousand terms, in another order.
constexpr double kTolerance = 1e-4;

}  // namespace

Block HeadView::positions(const std::string& where, const std::string& layer, Block output) {
  const auto& shape = output.shape;
  if (shape.size() == 2) return {{shape[0], 1, shape[1]}, std::move(output.values)};
  if (shape.size() == 3) return output;
  if (shape.size() != 4)
    throw std::invalid_argument(where + ": layer '" + layer + "' gives " + shape_text(shape) +
                                ", expected n x D, n x D x height x width, or n x P x D");
  const std::int64_t count = shape[2] * shape[3], width = shape[1];
  Block out{{shape[0], count, width}, std::vector<float>(output.values.size())};
  using Map = Eigen::Map<LinearHead::Weight>;
  for (std::int64_t i = 0; i < shape[0]; ++i)
    Map(&out.values[static_cast<std::size_t>(i * count * width)], count, width) =
        Map(&output.values[static_cast<std::size_t>(i * count * width)], width, count).transpose();
  return out;
}

Block HeadView::as_layer(const std::vector<std::int64_t>& shape, const Block& positions) {
  const std::int64_t samples = positions.shape[0], count = positions.shape[1],
                     width = positions.shape[2];
  Block out{shape, positions.values};
  out.shape.insert(out.shape.begin(), samples);
  if (shape.size() != 3) return out;
  using Map = Eigen::Map<const LinearHead::Weight>;
  for (std::int64_t i = 0; i < samples; ++i)
    Eigen::Map<LinearHead::Weight>(&out.values[static_cast<std::size_t>(i * count * width)], width,
                                   count) =
        Map(&positions.values[static_cast<std::size_t>(i * count * width)], count, width)
            .transpose();
  return out;
}

HeadView::HeadView(std::string where, std::string layer, const LinearHead& head,
                   const Block& output)
    : where_(std::move(where)),
      layer_(std::move(layer)),
      head_(head.name),
      weight_(head.weight),
      bias_(head.bias) {
  const auto shape = positions(where_, layer_, output).shape;
  const std::int64_t count = shape[1], width = shape[2];
  if (weight_.cols() == width) {
    pooling_ = count == 1 ? "none" : "mean";
    return;
  }
  if (weight_.cols() != count * width)
    throw std::invalid_argument(where_ + ": head '" + head_ + "' reads " +
                                std::to_string(weight_.cols()) + " numbers, but layer '" + layer_ +
                                "' gives " + std::to_string(count) + " positions of " +
                                std::to_string(width) + ": neither their mean nor all of them");
  pooling_ = "flatten";
  if (output.shape.size() != 4) return;
  // The network flattens D x height x width.
  for (Eigen::Index j = 0; j < count; ++j)
    for (Eigen::Index d = 0; d < width; ++d)
      weight_.col(j * width + d) = head.weight.col(d * count + j);
}

HeadView::Rows HeadView::operator()(const Block& positions) const {
  const std::int64_t n = positions.shape[0], count = positions.shape[1], width = positions.shape[2];
  const bool flatten = pooling_ == "flatten";
  using Map = Eigen::Map<const LinearHead::Weight>;
  Rows pooled(n, flatten ? count * width : width);
  for (std::int64_t i = 0; i < n; ++i) {
    const float* mine = &positions.values[static_cast<std::size_t>(i * count * width)];
    if (flatten)
      pooled.row(i) = Map(mine, 1, count * width).cast<double>();
    else
      pooled.row(i) = Map(mine, count, width).cast<double>().colwise().mean();
  }
  return (pooled * weight_.cast<double>().transpose()).rowwise() + bias_.cast<double>().transpose();
}

void HeadView::check(const Rows& outputs, const Block& network_output) const {
  const std::string claim = "head '" + head_ + "' of " +
                            (pooling_ == "none" ? "" : "the " + pooling_ + " of ") + "layer '" +
                            layer_ + "'";
  if (static_cast<Eigen::Index>(network_output.values.size()) != outputs.size())
    throw std::invalid_argument(where_ + ": the network's output is " +
                                shape_text(network_output.shape) + ", but " + claim + " gives " +
                                shape_text({outputs.rows(), outputs.cols()}));
  const Rows given = Eigen::Map<const LinearHead::Weight>(network_output.values.data(),
                                                          outputs.rows(), outputs.cols())
                         .cast<double>();
  const double apart = (given - outputs).cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
  const double largest = given.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
  // Written so that a number that is not finite does not pass.
  if (!(apart <= kTolerance * std::max(1.0, largest))) {
    char text[64];
    std::snprintf(text, sizeof(text), "%.3g, where the largest is %.3g", apart, largest);
    throw std::invalid_argument(
        where_ + ": the network's output is not " + claim + ", but off by " + text +
        "; between them there may be a ReLU, a norm or another pooling, after the head a softmax");
  }
}

}  // namespace conoscope::models
