// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surrogates/sae_downstream_ce.h"

#include <cmath>

#include "metrics/faithfulness/logit_row.h"
#include "metrics/faithfulness/measure.h"
#include "metrics/faithfulness/surrogates/ice_eval.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

double log_probability(const Matrix& logits, Index row, Index c) {
  const double top = logits.row(row).maxCoeff();
  return logits(row, c) - top - std::log((logits.row(row).array() - top).exp().sum());
}

}  // namespace

Result sae_downstream_ce(const Logits& model, const Logits& surrogate, const IndexVector& labels) {
  constexpr const char* kName = "sae_downstream_ce";
  detail::require_same_shape(kName, model, surrogate);
  numerics::require_labels(kName, labels, model.samples(), model.outputs());
  return detail::mean_over_samples(model.samples(), [&](Index i) {
    const Index t = labels[static_cast<size_t>(i)];
    return log_probability(model.matrix(), i, t) - log_probability(surrogate.matrix(), i, t);
  });
}

std::vector<Metric> declare::sae_downstream_ce() {
  const Measure measure{
      .question = "How far above the model's cross entropy with the labels is that of {}?",
      .direction = Direction::kLower,
      .low = -kUnbounded,
      .unit = "nats",
      .source =
          "Gao et al., Scaling and evaluating sparse autoencoders, 2024; as in arXiv "
          "2504.10833, App. A",
      .compare_labelled = metrics::sae_downstream_ce};
  return {declare_measure("sae_downstream_ce", measure, rebuilt_embeddings("sae_eval")),
          declare_measure("sae_downstream_ce_spatial_mean", measure,
                          rebuilt_embeddings("sae_eval", PositionRule::kSpatialMean))};
}

}  // namespace conoscope::metrics
