// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_prob_mae.h"

#include "metrics/faithfulness/logit_row.h"

namespace conoscope::metrics {

Result surf_prob_mae(const Logits& model, const Logits& surrogate) {
  detail::require_same_shape("surf_prob_mae", model, surrogate);
  detail::LogitRow row(model.outputs());
  Result result = detail::mean_over_samples(model.samples(), [&](Index i) {
    return row.mean_sigmoid_error(model.row(i), surrogate.row(i));
  });
  return {result.value};
}

Measure surf_prob_mae_measure() {
  return {.question = "How far from the model's attribute probabilities are those of {}?",
          .direction = Direction::kLower,
          .high = 1.0,
          .source = "conoscope; a bounded companion to SURF_MAE, arXiv 2504.10833",
          .softmax = false,
          .sigmoid = true,
          .compare = surf_prob_mae};
}

}  // namespace conoscope::metrics
