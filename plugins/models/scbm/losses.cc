// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/scbm/losses.h"

namespace conoscope::models {

using torch::Tensor;

Tensor covariance_factors(const Tensor& raw, std::int64_t concepts) {
  const Tensor places = torch::tril_indices(concepts, concepts);
  const Tensor flat = places[0] * concepts + places[1];
  const Tensor lower = torch::zeros({raw.size(0), concepts * concepts}, raw.options())
                           .index_copy(1, flat, raw)
                           .view({-1, concepts, concepts});
  const Tensor diagonal = lower.diagonal(0, 1, 2);
  return lower - torch::diag_embed(diagonal) + torch::diag_embed(torch::softplus(diagonal) + 1e-6);
}

Tensor sampled_concept_loss(const Tensor& probabilities, const Tensor& concepts) {
  const Tensor truth = concepts.unsqueeze(2).expand_as(probabilities);
  const Tensor off =
      torch::binary_cross_entropy(probabilities, truth, {}, at::Reduction::None).sum(1);
  return -torch::logsumexp(-off, 1).mean();
}

Tensor log_mean_softmax(const Tensor& logits) {
  return torch::log(torch::softmax(logits, 2).mean(1) + 1e-6);
}

Tensor precision_penalty(const Tensor& factors) {
  const std::int64_t concepts = factors.size(1);
  if (concepts < 2) return torch::zeros({}, factors.options());
  const Tensor identity = torch::eye(concepts, factors.options()).expand_as(factors);
  const Tensor inverse = torch::linalg_solve_triangular(factors, identity, /*upper=*/false);
  const Tensor precision = torch::matmul(inverse.transpose(1, 2), inverse);
  const Tensor beside = precision - torch::diag_embed(precision.diagonal(0, 1, 2));
  return beside.abs().sum({1, 2}).mean() / static_cast<double>(concepts * (concepts - 1));
}

}  // namespace conoscope::models
