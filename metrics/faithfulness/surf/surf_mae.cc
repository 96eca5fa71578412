// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_mae.h"

#include "metrics/faithfulness/logit_row.h"

namespace conoscope::metrics {

Result surf_mae(const Logits& model, const Logits& surrogate) {
  detail::require_same_shape("surf_mae", model, surrogate);
  detail::LogitRow row(model.outputs());
  return detail::mean_over_samples(
      model.samples(), [&](Index i) { return row.mean_abs_error(model.row(i), surrogate.row(i)); });
}

Measure surf_mae_measure() {
  return {.question = "How far from the model's logits are those of {}?",
          .direction = Direction::kLower,
          .unit = "logits",
          .source = kSurfPaper,
          .sigmoid = true,
          .regression = true,
          .compare = surf_mae};
}

}  // namespace conoscope::metrics
