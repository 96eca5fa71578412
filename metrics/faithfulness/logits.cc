// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/logits.h"

#include <string>
#include <utility>

#include "numerics/checks.h"

namespace conoscope::metrics {

Logits::Logits(Matrix values) : values_(std::move(values)) {
  if (values_.size() > 0 && numerics::all_finite(values_)) return;
  numerics::require_filled("Logits", "logits", values_);
}

void detail::require_same_shape(std::string_view metric, const Logits& model,
                                const Logits& surrogate) {
  if (model.samples() == surrogate.samples() && model.outputs() == surrogate.outputs()) return;
  const auto size = [](const Logits& logits) {
    return std::to_string(logits.samples()) + " x " + std::to_string(logits.outputs());
  };
  numerics::refuse(
      metric, "the model's logits are " + size(model) + ", the surrogate's " + size(surrogate));
}

}  // namespace conoscope::metrics
