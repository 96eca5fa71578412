// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a stochastic bottleneck is trained by, of n rows, K concepts and M Monte Carlo samples. Source: the
// code of Vandenhirtz et al., NeurIPS 2024.

#include <torch/torch.h>

namespace conoscope::models {

/// L: n x K x K, of raw numbers n x K (K + 1) / 2; see covariance_factor().
torch::Tensor covariance_factors(const torch::Tensor& raw, std::int64_t concepts);

/// Mean over rows of -log sum_m exp(-sum_k BCE(p_km, c_k)). Without the division by M of a mean
/// likelihood it may be negative; the gradient is the same.
///
/// probabilities  n x K x M.   concepts  n x K
torch::Tensor sampled_concept_loss(const torch::Tensor& probabilities,
                                   const torch::Tensor& concepts);

/// log(mean_m softmax + 1e-6): n x C, of n x M x C.
torch::Tensor log_mean_softmax(const torch::Tensor& logits);

/// Mean over rows of the mean absolute entry of (L L^T)^-1 beside its diagonal; one concept: 0.
torch::Tensor precision_penalty(const torch::Tensor& factors);

}  // namespace conoscope::models
