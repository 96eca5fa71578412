// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;

/// How many nats of information does a code hold beyond its prior?
///
///   KL(q(z|x) || N(0, I)) = 1/2 sum_d (mu_d^2 + v_d - log v_d - 1), its mean over the samples
///
/// One of the two terms of a variational autoencoder's bound: -log p(x) <= reconstruction_loss + kl.
/// Neither ranks: a strong prior lowers one and raises the other; they compare only between models
/// of the same likelihood on the same data.
///
/// mean, log_variance  mu and log v of q(z|x), n x m, n >= 1, finite
/// returns  each dimension's share in nats, >= 0: the metric is their sum
/// throws   std::invalid_argument: shapes that differ, no samples, an entry not finite
///          std::domain_error: the divergence of a sample overflows
///
/// Source: Kingma & Welling, Auto-Encoding Variational Bayes, ICLR 2014, Eq. 3 and appendix B.
Eigen::RowVectorXd kl(const MatrixRef& mean, const MatrixRef& log_variance);

namespace declare {
std::vector<Metric> kl();
}  // namespace declare

}  // namespace conoscope::metrics
