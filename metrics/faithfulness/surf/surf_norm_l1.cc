// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_norm_l1.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "metrics/left_out.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

Result surf_norm_l1(const Logits& model, const Logits& surrogate, const IndexVector& labels) {
  constexpr const char* kName = "surf_norm_l1";
  detail::require_same_shape(kName, model, surrogate);
  numerics::require_labels(kName, labels, model.samples(), model.outputs());
  Result result;
  Index skipped = 0;
  for (Index i = 0; i < model.samples(); ++i) {
    const Index t = labels[static_cast<size_t>(i)];
    const double y = model(i, t);
    if (y == 0.0)
      ++skipped;
    else
      result.value += std::abs(y - surrogate(i, t)) / std::abs(y);
  }
  if (skipped == model.samples())
    throw std::domain_error(std::string(kName) + ": the true class's logit is 0 in every sample");
  result.value /= static_cast<double>(model.samples() - skipped);
  if (skipped > 0)
    result.caveat = left_out(skipped, "sample", "the true class's logit is exactly 0");
  return result;
}

Measure surf_norm_l1_measure() {
  return {
      .question =
          "How far from the model's logit of the true class, as a fraction of it, is that of {}?",
      .direction = Direction::kLower,
      .source = "Zhang et al., Invertible Concept-based Explanations, AAAI 2021",
      .compare_labelled = surf_norm_l1};
}

}  // namespace conoscope::metrics
