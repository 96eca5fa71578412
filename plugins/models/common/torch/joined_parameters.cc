// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/common/torch/joined_parameters.h"

#include <cstdint>

namespace conoscope::models {

namespace {

constexpr std::int64_t kAlignment =
    16;  // in floats: 64 bytes, as libtorch aligns what it allocates

std::int64_t padded(const torch::Tensor& parameter) {
  return (parameter.numel() + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

torch::Tensor joined_parameters(const std::vector<torch::Tensor>& parameters) {
  std::int64_t size = 0;
  for (const torch::Tensor& parameter : parameters) size += padded(parameter);
  torch::Tensor all = torch::zeros({size}), gradient = torch::zeros({size});
  std::int64_t at = 0;
  for (torch::Tensor parameter : parameters) {
    const auto part_of = [&](const torch::Tensor& whole) {
      return whole.slice(0, at, at + parameter.numel()).view(parameter.sizes());
    };
    part_of(all).copy_(parameter.detach());
    parameter.set_data(part_of(all));
    parameter.mutable_grad() = part_of(gradient);
    at += padded(parameter);
  }
  all.set_requires_grad(true);
  all.mutable_grad() = gradient;
  return all;
}

}  // namespace conoscope::models
