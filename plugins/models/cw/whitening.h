// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "plugins/models/common/torch/weights.h"

namespace conoscope::models {

/// 2 x 2 max pool (while both sides are at least 2), then the mean over positions:
/// n x k x height x width -> n x k.
Tensor max_pool_mean(const Tensor& maps);

/// What a concept view says of the first k maps: n x k x w, their max_pool_mean() or the maps themselves.
Tensor represented(const Tensor& maps, std::int64_t k, bool whole_maps);

/// relu and 2 x 2 max pool (while both sides are at least 2) of all maps: n x (maps * positions).
Tensor pooled(const Tensor& maps);

/// Decorrelates maps over samples and positions and turns what is left to the concepts.
class Whitening {
 public:
  Whitening(Weights& weights, std::int64_t maps);

  /// Q Sigma^(-1/2) (m - mu), same shape as the maps. training: mu and Sigma of the batch, which
  /// also move the running ones by a tenth; else, and where the batch has one position alone, the
  /// running ones. To Sigma's diagonal 10^-4 of its
  /// mean is added, so that an axis that has died away is not blown up.
  Tensor operator()(const Tensor& maps, bool training) const;

  /// Sigma^(-1/2) (m - mu) by the running statistics.
  Tensor before_rotation(const Tensor& maps) const;

  /// Climbs sum_j mean max_pool_mean(row j of Q times z_j) along orthogonal matrices: steps
  /// Q <- (I + t/2 A)^-1 (I - t/2 A) Q with A = G Q^T - Q G^T, G the negative gradient, t halved
  /// from 1 until the climb is at least 10^-4 of what the slope |A|^2 / 2 promises. At most 50 of
  /// them, fewer where the slope is below 10^-6.
  ///
  /// whitened  z_j of the first axes' concepts, as before_rotation() gives them; undefined: no sample of it
  ///
  /// Source: Chen, Bei & Rudin, 2020, Algorithm 1; steps after Wen & Yin, A Feasible Method for
  /// Optimization with Orthogonality Constraints, 2013, with plain halving for its line search.
  void rotate(const std::vector<Tensor>& whitened) const;

  const Tensor& rotation() const { return rotation_; }

 private:
  Tensor mean_, covariance_, rotation_;
};

}  // namespace conoscope::models
