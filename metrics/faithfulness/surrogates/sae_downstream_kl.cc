// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surrogates/sae_downstream_kl.h"

#include <algorithm>
#include <cmath>

#include "metrics/faithfulness/logit_row.h"
#include "metrics/faithfulness/measure.h"
#include "metrics/faithfulness/surrogates/ice_eval.h"

namespace conoscope::metrics {

namespace {

// A buffer of its own for each row: where a row lies in memory must not change a bit.
void log_softmax(const Logits& logits, Index i, Eigen::ArrayXd& out) {
  out = logits.matrix().row(i).transpose().array();
  out -= out.maxCoeff();
  out -= std::log(out.exp().sum());
}

}  // namespace

Result sae_downstream_kl(const Logits& model, const Logits& surrogate) {
  detail::require_same_shape("sae_downstream_kl", model, surrogate);
  Eigen::ArrayXd p, q;
  return detail::mean_over_samples(model.samples(), [&](Index i) {
    log_softmax(model, i, p);
    log_softmax(surrogate, i, q);
    return std::max(0.0, (p.exp() * (p - q)).sum());
  });
}

std::vector<Metric> declare::sae_downstream_kl() {
  const Measure measure{
      .question = "How surprising are the model's predictions to one who expects those of {}?",
      .direction = Direction::kLower,
      .unit = "nats",
      .source =
          "Gao et al., Scaling and evaluating sparse autoencoders, 2024; as in arXiv "
          "2504.10833, App. A",
      .compare = metrics::sae_downstream_kl};
  return {declare_measure("sae_downstream_kl", measure, rebuilt_embeddings("sae_eval")),
          declare_measure("sae_downstream_kl_spatial_mean", measure,
                          rebuilt_embeddings("sae_eval", PositionRule::kSpatialMean))};
}

}  // namespace conoscope::metrics
