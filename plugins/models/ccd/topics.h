// SPDX-License-Identifier: Apache-2.0
#pragma once

// Scores of samples on topics, directions in a network's features, and what is asked of the directions.

#include <torch/types.h>

#include <cstdint>

namespace conoscope::models {

using torch::Tensor;

/// x, each row divided by its length.
inline Tensor unit_rows(const Tensor& x) {
  constexpr double kShortest = 1e-5;
  return x / x.norm(2, {1}, /*keepdim=*/true).clamp_min(kShortest);
}

/// How the scores of a sample are brought to one scale.
enum class TopicScale {
  kNorm,  ///< cosines, divided by the length of the sample's scores
  kSum  ///< products <phi, c_j>, divided by their sum + 1e-5: the code of Espinosa Zarlenga et al.
};

/// 0 where the cosine is not above `threshold`; scaled.
///
/// cosines   <phi / |phi|, c_j>, n x k.   lengths  |phi|, n x 1, for kSum
inline Tensor topic_scores(const Tensor& cosines, const Tensor& lengths, double threshold,
                           TopicScale scale) {
  const Tensor kept = torch::where(cosines > threshold, cosines, torch::zeros_like(cosines));
  if (scale == TopicScale::kNorm) return unit_rows(kept);
  const Tensor products = kept * lengths;
  return products / (products.sum(1, /*keepdim=*/true) + 1e-5);
}

/// R1: mean cosine of the `nearest` samples that are nearest to each direction.
inline Tensor nearness(const Tensor& cosines, std::int64_t nearest) {
  return std::get<0>(cosines.topk(nearest, 0)).mean();
}

/// R2: the mean product of two directions, over the pairs, or over all k^2 entries of C C^T - I.
///
/// c  k x d, rows of length 1; for pairs k >= 2
inline Tensor overlap(const Tensor& c, bool over_entries) {
  const auto k = static_cast<double>(c.size(0));
  const Tensor between = c.matmul(c.t());
  return (between.sum() - between.trace()) / (over_entries ? k * k : k * (k - 1));
}

}  // namespace conoscope::models
