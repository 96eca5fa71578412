// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/cw/whitening.h"

namespace conoscope::models {

namespace {

// Added to the variances: of their mean, and at least.
constexpr double kShare = 1e-4, kLeast = 1e-5;
constexpr double kMomentum = 0.1;    // of the running statistics
constexpr int kRootIterations = 25;  // enough for what kShare leaves of the smallest eigenvalue
constexpr int kRotationIterations = 50, kHalvings = 20;
constexpr double kSufficient = 1e-4, kLevel = 1e-6;

/// Sigma^(-1/2) by Newton's iteration, which autograd passes through. The coupled form: the one of
/// Huang et al. (Iterative Normalization, CVPR 2019), P (3 - P^2 Sigma) / 2, lets rounding errors
/// grow where eigenvalues lie far apart. Source: Higham, Functions of Matrices, 2008, Eq. 6.35.
Tensor inverse_root(const Tensor& covariance) {
  const Tensor identity = torch::eye(covariance.size(0), covariance.options());
  const Tensor mean = covariance.trace() / static_cast<double>(covariance.size(0));
  const Tensor regular = covariance + (kShare * mean + kLeast) * identity;
  const Tensor trace = regular.trace();
  Tensor root = regular / trace, inverse = identity;
  for (int i = 0; i < kRootIterations; ++i) {
    const Tensor step = 0.5 * (3.0 * identity - inverse.matmul(root));
    root = root.matmul(step);
    inverse = step.matmul(inverse);
  }
  return inverse / trace.sqrt();
}

/// n x k x height x width -> (n * height * width) x k.
Tensor by_position(const Tensor& maps) { return maps.permute({0, 2, 3, 1}).flatten(0, 2); }

/// matrix (k x k) times the maps' k numbers at every position.
Tensor turn(const Tensor& matrix, const Tensor& maps) {
  return torch::einsum("jk,nkhw->njhw", {matrix, maps});
}

Tensor whitened_by(const Tensor& maps, const Tensor& mean, const Tensor& covariance) {
  const Tensor root = inverse_root(covariance.to(torch::kFloat64)).to(maps.dtype());
  return turn(root, maps - mean.view({1, -1, 1, 1}));
}

Tensor max_pool(const Tensor& maps) {
  return maps.size(2) >= 2 && maps.size(3) >= 2 ? torch::max_pool2d(maps, 2) : maps;
}

Tensor alignment(const Tensor& rotation, const std::vector<Tensor>& whitened) {
  Tensor sum = torch::zeros({}, rotation.options());
  for (std::size_t j = 0; j < whitened.size(); ++j) {
    if (!whitened[j].defined()) continue;
    const Tensor row =
        rotation.slice(0, static_cast<std::int64_t>(j), static_cast<std::int64_t>(j) + 1);
    sum = sum + max_pool_mean(turn(row, whitened[j])).mean();
  }
  return sum;
}

}  // namespace

Tensor max_pool_mean(const Tensor& maps) { return max_pool(maps).mean({2, 3}); }

Tensor represented(const Tensor& maps, std::int64_t k, bool whole_maps) {
  const Tensor own = maps.slice(1, 0, k);
  return whole_maps ? own.flatten(2).contiguous() : max_pool_mean(own).unsqueeze(2);
}

Tensor pooled(const Tensor& maps) { return max_pool(torch::relu(maps)).flatten(1); }

Whitening::Whitening(Weights& weights, std::int64_t maps)
    : mean_(weights.statistic("whitening.mean", torch::zeros({maps}))),
      covariance_(weights.statistic("whitening.covariance", torch::eye(maps))),
      rotation_(weights.statistic("whitening.rotation", torch::eye(maps))) {}

Tensor Whitening::operator()(const Tensor& maps, bool training) const {
  Tensor mean = mean_, covariance = covariance_;
  // One row has no covariance.
  if (const Tensor rows = by_position(maps); training && rows.size(0) > 1) {
    mean = rows.mean(0);
    const Tensor centred = rows - mean;
    covariance = centred.t().matmul(centred) / static_cast<double>(rows.size(0));
    const torch::NoGradGuard no_grad;
    mean_.mul_(1.0 - kMomentum).add_(mean, kMomentum);
    covariance_.mul_(1.0 - kMomentum).add_(covariance, kMomentum);
  }
  return turn(rotation_, whitened_by(maps, mean, covariance));
}

Tensor Whitening::before_rotation(const Tensor& maps) const {
  return whitened_by(maps, mean_, covariance_);
}

void Whitening::rotate(const std::vector<Tensor>& whitened) const {
  Tensor q = rotation_.detach().clone();
  const Tensor identity = torch::eye(q.size(0), q.options());
  for (int i = 0; i < kRotationIterations; ++i) {
    q = q.detach().requires_grad_(true);
    const Tensor value = alignment(q, whitened);
    const Tensor down = -torch::autograd::grad({value}, {q})[0];
    const torch::NoGradGuard no_grad;
    const Tensor skew = down.matmul(q.t()) - q.matmul(down.t());
    const double slope = 0.5 * skew.square().sum().item<double>();
    double step = 1.0;
    bool climbed = false;
    for (int halving = 0; halving < kHalvings && slope > kLevel && !climbed;
         ++halving, step *= 0.5) {
      const Tensor turned = torch::linalg_solve(identity + 0.5 * step * skew,
                                                (identity - 0.5 * step * skew).matmul(q));
      climbed = alignment(turned, whitened).item<double>() >=
                value.item<double>() + kSufficient * step * slope;
      if (climbed) q = turned;
    }
    if (!climbed) break;
  }
  const torch::NoGradGuard no_grad;
  rotation_.copy_(q);
}

}  // namespace conoscope::models
