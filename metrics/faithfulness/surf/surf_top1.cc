// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_top1.h"

#include "metrics/faithfulness/logit_row.h"

namespace conoscope::metrics {

Result surf_top1(const Logits& model, const Logits& surrogate) {
  detail::require_same_shape("surf_top1", model, surrogate);
  const detail::LogitRow row(model.outputs());
  Index same = 0;
  for (Index i = 0; i < model.samples(); ++i)
    same += row.argmax(model.row(i)) == row.argmax(surrogate.row(i));
  return {static_cast<double>(same) / static_cast<double>(model.samples())};
}

Measure surf_top1_measure() {
  return {.question = "How often does the model predict the same class as {}?",
          .direction = Direction::kHigher,
          .high = 1.0,
          .source = kSurfPaper,
          .compare = surf_top1};
}

}  // namespace conoscope::metrics
