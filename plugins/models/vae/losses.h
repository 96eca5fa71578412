// SPDX-License-Identifier: Apache-2.0
#pragma once

// The loss terms of variational autoencoders, as functions of tensors and nothing else.
//
// M samples in a batch, d latents. q(z|x) is a normal distribution with diagonal covariance, given
// by its mean and the logarithm of its variance, both M x d; the prior p(z) is standard normal.
// Natural logarithms; any floating dtype; what is returned can be differentiated. A scalar is a
// tensor without axes, the mean over the batch where nothing else is said.

#include <torch/types.h>

#include <cstdint>

#include "conoscope/sdk/random.h"

namespace conoscope::models {

using torch::Tensor;

enum class Likelihood { kBernoulli, kGaussian };

/// -log p(x|z) of each sample, M entries: summed over all that it consists of.
///
///   Bernoulli:  sum_i softplus(o_i) - x_i o_i             o are logits, x in [0, 1]
///   Gaussian:   1/2 sum_i [(x_i - o_i)^2 + log(2 pi)]     o are means, the variance is 1
///
/// Source: Kingma & Welling, ICLR 2014, appendix C.
Tensor reconstruction_losses(Likelihood likelihood, const Tensor& outputs, const Tensor& x);

/// KL(q(z_d|x) || p(z_d)) = 1/2 (mu^2 + v - log v - 1), M x d; sum over axis 1 for KL(q || p).
/// Source: Kingma & Welling, ICLR 2014, appendix B.
Tensor kl_by_dimension(const Tensor& mean, const Tensor& log_variance);

/// The sum over dimensions of the above, mean over the batch.
Tensor kl_divergence(const Tensor& mean, const Tensor& log_variance);

/// mean + exp(log_variance / 2) * noise.
Tensor sample(const Tensor& mean, const Tensor& log_variance, const Tensor& noise);

/// C(t) = min(most, most * t / steps): nats that the code may hold at step t = 0, 1, ...;
/// steps <= 0: `most` from the start.
/// Source: Burgess et al., Understanding disentangling in beta-VAE, arXiv:1804.03599.
double annealed_capacity(double most, double t, double steps);

/// E[mu mu'] - E[mu] E[mu]' over the batch, d x d, divided by M.
Tensor covariance(const Tensor& mean);

enum class DipVariant { kOne, kTwo };

/// How far the aggregate posterior's second moments are from the prior's.
///
///   lambda_od sum_{a != b} S_ab^2 + lambda_d sum_a (S_aa - 1)^2
///   S = Cov[mu] (DIP-VAE-I),  S = Cov[mu] + diag E[v] (DIP-VAE-II)
///
/// Source: Kumar, Sattigeri & Balakrishnan, ICLR 2018, section 3.
Tensor dip_penalty(const Tensor& mean, const Tensor& log_variance, DipVariant variant,
                   double lambda_od, double lambda_d);

/// Logarithms of densities at z, M entries each.
struct LogDensities {
  Tensor conditional;  ///< log q(z|x) of the sample's own x
  Tensor aggregate;    ///< log q(z)
  Tensor product;      ///< sum_d log q(z_d)
  Tensor prior;        ///< log p(z)
};

/// Minibatch weighted sampling from a training set of N:
///
///   log q(z_i) = log sum_j q(z_i|x_j) - log(M N),   log q(z_id) the same for one dimension
///
/// A biased estimate (a lower bound in expectation). Where all M posteriors coincide, log q(z) is
/// log q(z|x) - log N. The memory is that of a few M x M x d tensors.
/// z  M x d, drawn from the posteriors in the same order.
/// Source: Chen et al., NeurIPS 2018, section 3.1 and appendix C.1.
LogDensities log_densities(const Tensor& z, const Tensor& mean, const Tensor& log_variance,
                           std::int64_t training_samples);

/// The KL term of the ELBO, split and weighed: index-code mutual information + beta * total
/// correlation + dimension-wise KL.
///
///   [log q(z|x) - log q(z)] + beta [log q(z) - sum_d log q(z_d)] + [sum_d log q(z_d) - log p(z)]
///
/// At beta = 1 the estimates of q(z) cancel: what is left is log q(z|x) - log p(z), whatever N.
/// Source: Chen et al., NeurIPS 2018, section 3, with alpha = gamma = 1.
Tensor decomposed_kl(const LogDensities& densities, double beta);

/// FactorVAE's estimate of the total correlation: mean of D_0(z) - D_1(z), the log odds that z are
/// codes and not permuted ones.  logits  M x 2.
/// Source: Kim & Mnih, ICML 2018, section 3.
Tensor density_ratio_total_correlation(const Tensor& logits);

/// 1/2 CE(D(z), 0) + 1/2 CE(D(permuted z'), 1).  Both M x 2.
/// Source: Kim & Mnih, ICML 2018, algorithm 2.
Tensor discriminator_loss(const Tensor& logits_of_codes, const Tensor& logits_of_permuted);

/// Each dimension in an order of its own: samples of prod_d q(z_d).
/// Source: Kim & Mnih, ICML 2018, algorithm 1.
Tensor permute_dimensions(const Tensor& z, sdk::Random& random);

struct Posterior {
  Tensor mean, log_variance;  ///< M x d
};

/// 2 KL(q_1 || q_2) of each dimension, M x d: v1/v2 + (mu2 - mu1)^2 / v2 - 1 + log v2 - log v1.
/// Not symmetric, as in the published code; the factor 2 does not change which are shared.
Tensor pair_divergence(const Posterior& first, const Posterior& second);

/// Which dimensions of a pair differ, M x d of bool: those whose divergence is at least half-way
/// between the sample's smallest and largest. Where all are equal, none.
/// Source: Locatello et al., Weakly-supervised disentanglement without compromises, ICML 2020,
/// section 4.
Tensor changed_dimensions(const Tensor& divergence);

enum class Averaging {
  kMean,          ///< Ada-GVAE: mu = (mu1 + mu2) / 2, v = (v1 + v2) / 2
  kHarmonicMean,  ///< Ada-ML-VAE as published in code: precision-weighted mu, 2 v1 v2 / (v1 + v2)
  kProductOfExperts  ///< as the paper on ML-VAE has it: the same mu, v1 v2 / (v1 + v2)
};

struct PosteriorPair {
  Posterior first, second;
};

/// Replaces the dimensions that did not change by a posterior that both share.
/// Source: Locatello et al., ICML 2020, section 4; the product: Bouchacourt et al., AAAI 2018.
PosteriorPair share_unchanged(const Posterior& first, const Posterior& second,
                              const Tensor& changed, Averaging averaging);

}  // namespace conoscope::models
