// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/common/torch/convolution.h"

#include <cmath>

namespace conoscope::models {

namespace {

constexpr double kBatchNormMomentum = 0.1, kBatchNormEpsilon = 1e-5;

}  // namespace

Convolution::Convolution(Weights& weights, const std::string& name, std::int64_t from,
                         std::int64_t to, std::int64_t side, std::int64_t stride)
    : stride_(stride) {
  // The weights' own tensors, not copies: what changes weights.trained() in place changes this.
  kernel_ = weights.matrix(name + ".kernel", {to, from, side, side}, std::sqrt(2.0));
  scale_ = weights.vector(name + ".scale", to, 1.0F);
  shift_ = weights.vector(name + ".shift", to, 0.0F);
  mean_ = weights.statistic(name + ".mean", torch::zeros({to}));
  variance_ = weights.statistic(name + ".variance", torch::ones({to}));
}

Tensor Convolution::operator()(const Tensor& x, bool training) const {
  const auto as = [&x](const Tensor& tensor) { return tensor.to(x.scalar_type()); };
  const Tensor y = torch::conv2d(x, as(kernel_), {}, stride_, kernel_.size(2) / 2);
  // One value has no variance.
  const bool many = y.size(0) * y.size(2) * y.size(3) > 1;
  return torch::batch_norm(y, as(scale_), as(shift_), as(mean_), as(variance_), training && many,
                           kBatchNormMomentum, kBatchNormEpsilon, /*cudnn_enabled=*/false);
}

}  // namespace conoscope::models
