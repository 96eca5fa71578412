// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/faithfulness/logits.h"
#include "metrics/metric.h"

namespace conoscope::metrics {

/// By how many nats does the cross entropy with the true class rise if the surrogate answers in the
/// model's place? (delta loss)
///
///   1/n sum_x log p_t - log q_t,   t the label, p = softmax(model), q = softmax(surrogate)
///
/// model, surrogate  n x C, raw. On boards: the logits of rebuilt embeddings (ice_eval_surrogate), and
///          as sae_downstream_ce_spatial_mean those of positions rebuilt and averaged.
/// labels   t, one per sample, in 0 ... C-1.
/// returns  (-inf, inf); below 0 where the surrogate is the better classifier. parts: per sample.
/// throws   std::invalid_argument: shapes that differ, another number of labels than samples, a
///          label outside 0 ... C-1
///
/// Source: as a downstream loss of sparse autoencoders: Kumar and Ahuja, arXiv 2504.10833, App. A.
Result sae_downstream_ce(const Logits& model, const Logits& surrogate, const IndexVector& labels);

namespace declare {
std::vector<Metric> sae_downstream_ce();
}  // namespace declare

}  // namespace conoscope::metrics
