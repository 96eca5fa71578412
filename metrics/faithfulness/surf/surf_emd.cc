// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_emd.h"

#include "metrics/faithfulness/logit_row.h"

namespace conoscope::metrics {

Result surf_emd(const Logits& model, const Logits& surrogate) {
  detail::require_same_shape("surf_emd", model, surrogate);
  detail::LogitRow row(model.outputs());
  return detail::mean_over_samples(model.samples(), [&](Index i) {
    return row.softmax_total_variation(model.row(i), surrogate.row(i));
  });
}

Measure surf_emd_measure() {
  return {.question =
              "How much probability must move to turn the model's predictions into those of {}?",
          .direction = Direction::kLower,
          .high = 1.0,
          .source = kSurfPaper,
          .compare = surf_emd};
}

}  // namespace conoscope::metrics
