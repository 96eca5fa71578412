// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/common/torch/residual.h"

namespace conoscope::models {

ResidualBlock::ResidualBlock(Weights& weights, const std::string& name, std::int64_t from,
                             std::int64_t to, std::int64_t stride, bool projection)
    : first_(weights, name + ".first", from, to, 3, stride),
      second_(weights, name + ".second", to, to, 3),
      stride_(stride),
      added_(to - from) {
  if (projection && stride != 1)
    projection_.emplace(weights, name + ".projection", from, to, 1, stride);
}

Tensor ResidualBlock::shortcut(const Tensor& x, bool training) const {
  if (projection_) return (*projection_)(x, training);
  if (stride_ == 1) return x;
  const Tensor half = x.slice(2, 0, {}, stride_).slice(3, 0, {}, stride_);
  return torch::constant_pad_nd(half, {0, 0, 0, 0, 0, added_});
}

Tensor ResidualBlock::operator()(const Tensor& x, bool training) const {
  const Tensor y = second_(torch::relu(first_(x, training)), training);
  return torch::relu(y + shortcut(x, training));
}

ResidualStages::ResidualStages(Weights& weights, const std::string& name, std::int64_t width,
                               const std::vector<std::int64_t>& blocks, bool projections)
    : channels_(width) {
  for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
    const std::int64_t to = width << stage;
    std::vector<ResidualBlock>& own = stages_.emplace_back();
    for (std::int64_t block = 0; block < blocks[stage]; ++block) {
      own.emplace_back(weights,
                       name + "stage" + std::to_string(stage) + ".block" + std::to_string(block),
                       channels_, to, channels_ == to ? 1 : 2, projections);
      channels_ = to;
    }
  }
}

Tensor ResidualStages::run(Tensor x, std::size_t from, std::size_t to, bool training) const {
  for (std::size_t stage = from; stage < to; ++stage)
    for (const ResidualBlock& block : stages_[stage]) x = block(x, training);
  return x;
}

ResidualNetwork::ResidualNetwork(Weights& weights, const std::string& name,
                                 std::int64_t image_channels, const Layout& layout)
    : stem_(weights, name + ".stem", image_channels, layout.width, 7, 2),
      stages_(weights, name + ".", layout.width, layout.blocks, /*projections=*/true) {}

Tensor ResidualNetwork::operator()(const Tensor& images, bool training) const {
  const Tensor x = torch::max_pool2d(torch::relu(stem_(images, training)), 3, 2, 1);
  return stages_.run(x, 0, stages_.count(), training);
}

}  // namespace conoscope::models
