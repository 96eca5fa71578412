// SPDX-License-Identifier: Apache-2.0
#include "plugins/models/vae/losses.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace conoscope::models {

namespace {

const double kLogTwoPi = std::log(2.0 * M_PI);

Tensor log_normal(const Tensor& z, const Tensor& mean, const Tensor& log_variance) {
  return -0.5 * ((z - mean).square() * (-log_variance).exp() + log_variance + kLogTwoPi);
}

}  // namespace

Tensor reconstruction_losses(Likelihood likelihood, const Tensor& outputs, const Tensor& x) {
  if (likelihood == Likelihood::kBernoulli)
    return torch::binary_cross_entropy_with_logits(outputs, x, {}, {}, at::Reduction::None)
        .flatten(1)
        .sum(1);
  const double constant =
      0.5 * kLogTwoPi * static_cast<double>(x.numel()) / static_cast<double>(x.size(0));
  return 0.5 * (x - outputs).square().flatten(1).sum(1) + constant;
}

Tensor kl_by_dimension(const Tensor& mean, const Tensor& log_variance) {
  return 0.5 * (mean.square() + log_variance.exp() - log_variance - 1.0);
}

Tensor kl_divergence(const Tensor& mean, const Tensor& log_variance) {
  return kl_by_dimension(mean, log_variance).sum(1).mean();
}

Tensor sample(const Tensor& mean, const Tensor& log_variance, const Tensor& noise) {
  return mean + (0.5 * log_variance).exp() * noise;
}

double annealed_capacity(double most, double t, double steps) {
  return steps > 0.0 ? std::min(most, most * t / steps) : most;
}

Tensor covariance(const Tensor& mean) {
  const Tensor centred = mean - mean.mean(0, /*keepdim=*/true);
  return torch::mm(centred.t(), centred) / static_cast<double>(mean.size(0));
}

Tensor dip_penalty(const Tensor& mean, const Tensor& log_variance, DipVariant variant,
                   double lambda_od, double lambda_d) {
  Tensor moments = covariance(mean);
  if (variant == DipVariant::kTwo) moments = moments + torch::diag(log_variance.exp().mean(0));
  const Tensor diagonal = torch::diag(moments);
  const Tensor off_diagonal = moments - torch::diag(diagonal);
  return lambda_od * off_diagonal.square().sum() + lambda_d * (diagonal - 1.0).square().sum();
}

LogDensities log_densities(const Tensor& z, const Tensor& mean, const Tensor& log_variance,
                           std::int64_t training_samples) {
  const double log_weight =
      std::log(static_cast<double>(z.size(0))) + std::log(static_cast<double>(training_samples));
  // Entry (i, j, d): z of sample i under the posterior of sample j.
  const Tensor each = log_normal(z.unsqueeze(1), mean.unsqueeze(0), log_variance.unsqueeze(0));
  LogDensities densities;
  densities.conditional = log_normal(z, mean, log_variance).sum(1);
  densities.aggregate = each.sum(2).logsumexp(1) - log_weight;
  densities.product = (each.logsumexp(1) - log_weight).sum(1);
  densities.prior = (-0.5 * (z.square() + kLogTwoPi)).sum(1);
  return densities;
}

Tensor decomposed_kl(const LogDensities& q, double beta) {
  const Tensor information = q.conditional - q.aggregate;
  const Tensor total_correlation = q.aggregate - q.product;
  const Tensor dimension_wise = q.product - q.prior;
  return (information + beta * total_correlation + dimension_wise).mean();
}

Tensor density_ratio_total_correlation(const Tensor& logits) {
  return (logits.select(1, 0) - logits.select(1, 1)).mean();
}

Tensor discriminator_loss(const Tensor& logits_of_codes, const Tensor& logits_of_permuted) {
  return -0.5 * (logits_of_codes.log_softmax(1).select(1, 0).mean() +
                 logits_of_permuted.log_softmax(1).select(1, 1).mean());
}

Tensor permute_dimensions(const Tensor& z, sdk::Random& random) {
  const std::int64_t samples = z.size(0), latents = z.size(1);
  std::vector<std::int64_t> order(static_cast<std::size_t>(samples));
  std::vector<Tensor> columns;
  for (std::int64_t d = 0; d < latents; ++d) {
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(order);
    columns.push_back(
        z.select(1, d).index_select(0, torch::from_blob(order.data(), {samples}, torch::kInt64)));
  }
  return torch::stack(columns, 1);
}

Tensor pair_divergence(const Posterior& first, const Posterior& second) {
  return (first.log_variance - second.log_variance).exp() +
         (second.mean - first.mean).square() * (-second.log_variance).exp() - 1.0 +
         second.log_variance - first.log_variance;
}

Tensor changed_dimensions(const Tensor& divergence) {
  const Tensor least = divergence.amin(1, /*keepdim=*/true);
  const Tensor most = divergence.amax(1, /*keepdim=*/true);
  return divergence.ge(0.5 * (least + most)) & most.gt(least);
}

PosteriorPair share_unchanged(const Posterior& first, const Posterior& second,
                              const Tensor& changed, Averaging averaging) {
  const Tensor v1 = first.log_variance.exp(), v2 = second.log_variance.exp();
  Posterior shared;
  if (averaging == Averaging::kMean) {
    shared.mean = 0.5 * (first.mean + second.mean);
    shared.log_variance = (0.5 * (v1 + v2)).log();
  } else {
    // Weights 1 / v over their sum.
    shared.mean = (first.mean * v2 + second.mean * v1) / (v1 + v2);
    shared.log_variance = first.log_variance + second.log_variance - (v1 + v2).log();
    if (averaging == Averaging::kHarmonicMean)
      shared.log_variance = shared.log_variance + std::log(2.0);
  }
  const auto choose = [&changed, &shared](const Posterior& own) {
    return Posterior{torch::where(changed, own.mean, shared.mean),
                     torch::where(changed, own.log_variance, shared.log_variance)};
  };
  return {choose(first), choose(second)};
}

}  // namespace conoscope::models
