// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/common/torch/training.h"

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "conoscope/sdk/random.h"

namespace conoscope::models {

void make_repeatable() {
  torch::set_num_threads(1);
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
#if TORCH_VERSION_MAJOR >= 2
  // The oneDNN beside Debian 13's libtorch 2.6, libdnnl 3.7.2, gives wrong derivatives of a convolution
  // by its input where it has few channels; 1.13's are right.
  at::globalContext().setUserEnabledMkldnn(false);
#endif
}

torch::Tensor initial_weights(std::vector<std::int64_t> shape, double gain, sdk::Seed seed) {
  std::int64_t fan_in = 1;
  for (std::size_t axis = 1; axis < shape.size(); ++axis) fan_in *= shape[axis];
  const double bound = gain * std::sqrt(3.0 / static_cast<double>(fan_in));
  torch::Tensor weights = torch::empty(shape, torch::kFloat32);
  sdk::Random random(seed);
  float* values = weights.data_ptr<float>();
  for (std::int64_t i = 0; i < weights.numel(); ++i)
    values[i] = static_cast<float>(random.uniform(-bound, bound));
  return weights.set_requires_grad(true);
}

torch::Tensor initial_bias(std::int64_t size) {
  return torch::zeros({size}).set_requires_grad(true);
}

torch::Tensor normal_noise(std::vector<std::int64_t> shape, sdk::Random& random) {
  torch::Tensor noise = torch::empty(shape, torch::kFloat32);
  float* values = noise.data_ptr<float>();
  for (std::int64_t i = 0; i < noise.numel(); ++i) values[i] = static_cast<float>(random.normal());
  return noise;
}

torch::Tensor shuffled(const torch::Tensor& rows, sdk::Seed seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows.size(0)));
  std::iota(order.begin(), order.end(), 0);
  sdk::Random random(seed);
  random.shuffle(order);
  return rows.index_select(0, torch::from_blob(order.data(), {rows.size(0)}, torch::kInt64));
}

void permute_entries(const std::vector<torch::Tensor>& tensors, sdk::Seed seed) {
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const torch::Tensor flat = tensors[i].flatten();
    const torch::Tensor order =
        shuffled(torch::arange(flat.size(0)), seed.child(static_cast<std::uint64_t>(i)));
    tensors[i].copy_(flat.index_select(0, order).view_as(tensors[i]));
  }
}

void check_loss(double mean_loss, std::int64_t epoch) {
  if (!std::isfinite(mean_loss))
    throw std::domain_error("the training loss is not finite after epoch " +
                            std::to_string(epoch + 1) + "; lower learning_rate");
}

}  // namespace conoscope::models
