// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_attr_acc.h"

#include "metrics/faithfulness/logit_row.h"

namespace conoscope::metrics {

Result surf_attr_acc(const Logits& model, const Logits& surrogate) {
  detail::require_same_shape("surf_attr_acc", model, surrogate);
  const detail::LogitRow row(model.outputs());
  Index agreeing = 0;
  for (Index i = 0; i < model.samples(); ++i)
    agreeing += row.agreeing_signs(model.row(i), surrogate.row(i));
  return {static_cast<double>(agreeing) / static_cast<double>(model.matrix().size())};
}

Measure surf_attr_acc_measure() {
  return {.question =
              "For what share of attributes is the model's answer, present or absent, the same as "
              "that of {}?",
          .direction = Direction::kHigher,
          .high = 1.0,
          .source = kSurfPaper,
          .softmax = false,
          .sigmoid = true,
          .compare = surf_attr_acc};
}

}  // namespace conoscope::metrics
