#pragma once

#include <vector>

#include "metrics/metric.h"
#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

/// The two terms of the evidence lower bound of a variational autoencoder (group `posterior`),
/// means over n samples, in nats:
///
///   kl                   KL(q(z|x) || N(0, I)) = 1/2 sum_d (mu_d^2 + v_d - log v_d - 1), mu the
///                        codes, v their variance; >= 0; parts: each dimension's share
///   reconstruction_loss  -log p(x|z), as the model has worked it out for one z ~ q(z|x)
///
/// -log p(x) <= reconstruction_loss + kl. Neither ranks: a strong prior lowers one and raises the
/// other; only between models of the same likelihood and data do they compare.
///
/// subject  latent view with log_variance (n x m) and reconstruction_loss (n); no annotations
/// returns  one Score per name, in this order. `not_applicable`: no latent view, or codes without
///          what that score needs, as those of an explainer. `undefined`: a KL overflows
/// throws   std::invalid_argument: shapes that differ, no samples, an entry not finite
///
/// Source: Kingma & Welling, Auto-Encoding Variational Bayes, ICLR 2014, Eqs. 3, 7 and appendix B.
std::vector<Score> posterior_eval(const Views& subject);

namespace declare {
/// The rows of the group `posterior`.
std::vector<Metric> posterior();
}  // namespace declare

}  // namespace conoscope::metrics
