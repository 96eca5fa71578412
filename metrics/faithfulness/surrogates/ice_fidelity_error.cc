// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surrogates/ice_fidelity_error.h"

#include <cmath>

#include "numerics/checks.h"

namespace conoscope::metrics {

Vector ice_fidelity_error(const Logits& model, const Logits& surrogate, const IndexVector& labels) {
  constexpr const char* kName = "ice_fidelity_error";
  constexpr double kEpsilon = 1e-4;
  detail::require_same_shape(kName, model, surrogate);
  numerics::require_labels(kName, labels, model.samples(), model.outputs());
  const Index outputs = model.outputs();
  Vector error = Vector::Zero(outputs), sum = error, count = error;
  for (size_t i = 0; i < labels.size(); ++i) {
    const Index c = labels[i], row = static_cast<Index>(i);
    error(c) += std::abs(model(row, c) - surrogate(row, c));
    sum(c) += model(row, c);
    count(c) += 1.0;
  }
  Index seen = 0;
  for (Index c = 0; c < outputs; ++c)
    if (count(c) > 0.0)
      error(seen++) = error(c) / count(c) / (std::abs(sum(c)) / count(c) + kEpsilon);
  return error.head(seen);
}

Measure ice_fidelity_error_measure() {
  const auto over_classes = [](const Logits& model, const Logits& surrogate,
                               const IndexVector& labels) -> Result {
    const Vector errors = ice_fidelity_error(model, surrogate, labels);
    return {errors.mean(), {errors.begin(), errors.end()}};
  };
  return {.question =
              "How far from the model's logit of the true class, as a fraction of that class's "
              "mean logit, is that of {}?",
          .direction = Direction::kLower,
          .source =
              "Zhang et al., Invertible Concept-based Explanations, AAAI 2021, the published code",
          .compare_labelled = over_classes};
}

}  // namespace conoscope::metrics
