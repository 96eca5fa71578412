// SPDX-License-Identifier: Apache-2.0
#pragma once

// What makes training with libtorch repeatable.
//
// All randomness (initial weights, order of the samples) comes from the job's seed and none from
// libtorch's generators, so the same seed gives the same bits again on the same machine.

#include <torch/torch.h>

#include <cstdint>
#include <vector>

#include "conoscope/sdk/plugin.h"

namespace conoscope::models {

/// One thread, whatever the host allows: libtorch splits its sums by the number of threads, so two
/// would give other bits than one. Since libtorch 2, without oneDNN. To be called first in every fit
/// and forward.
void make_repeatable();

/// gain = sqrt(2) before a ReLU, 1 elsewhere: uniform with variance gain^2 / fan_in, where fan_in
/// is the product of all axes but the first. A leaf that requires its gradient. Source: He et al.,
/// Delving Deep into Rectifiers, ICCV 2015.
torch::Tensor initial_weights(std::vector<std::int64_t> shape, double gain, sdk::Seed seed);

/// Zeros, a leaf that requires its gradient.
torch::Tensor initial_bias(std::int64_t size);

/// Standard normal draws, float32.
torch::Tensor normal_noise(std::vector<std::int64_t> shape, sdk::Random& random);

/// Puts the entries of each tensor in a random order, in place: a network drawn anew that keeps the
/// scale of every layer.
void permute_entries(const std::vector<torch::Tensor>& tensors, sdk::Seed seed);

/// The rows in an order drawn from the seed.
torch::Tensor shuffled(const torch::Tensor& rows, sdk::Seed seed);

/// throws  std::domain_error when an epoch's loss is not finite, with what to do
void check_loss(double mean_loss, std::int64_t epoch);

}  // namespace conoscope::models
