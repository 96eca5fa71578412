// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/faithfulness/logits.h"
#include "metrics/metric.h"

namespace conoscope::metrics {

/// How surprised is one who expects the surrogate's answers by the model's?
///
///   1/n sum_x sum_c p_c (log p_c - log q_c)
///   p = softmax(model), q = softmax(surrogate), both through log-sum-exp; nats
///
/// model, surrogate  n x C, raw. On boards: the logits of rebuilt embeddings (ice_eval_surrogate), and
///          as sae_downstream_kl_spatial_mean those of positions rebuilt and averaged.
/// returns  [0, inf), 0: equal distributions; rounding below 0 is set to 0. parts: per sample.
/// throws   std::invalid_argument: shapes that differ
///
/// Source: as a downstream loss of sparse autoencoders: Kumar and Ahuja, arXiv 2504.10833, App. A.
Result sae_downstream_kl(const Logits& model, const Logits& surrogate);

namespace declare {
std::vector<Metric> sae_downstream_kl();
}  // namespace declare

}  // namespace conoscope::metrics
