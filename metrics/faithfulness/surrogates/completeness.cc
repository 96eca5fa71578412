// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surrogates/completeness.h"

#include <stdexcept>
#include <string>

#include "metrics/faithfulness/class_assignment.h"
#include "metrics/faithfulness/surf/surf.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

double accuracy(const Logits& logits, const IndexVector& labels) {
  numerics::require_labels("accuracy", labels, logits.samples(), logits.outputs());
  const IndexVector predictions = class_assignment(logits).predictions;
  Index right = 0;
  for (size_t i = 0; i < labels.size(); ++i) right += predictions[i] == labels[i];
  return static_cast<double>(right) / static_cast<double>(labels.size());
}

Result completeness(const Logits& model, const Logits& surrogate, const IndexVector& labels) {
  detail::require_same_shape("completeness", model, surrogate);
  const double chance = 1.0 / static_cast<double>(model.outputs());
  const double reached = accuracy(model, labels);
  if (reached == chance)
    throw std::domain_error("completeness: the model's accuracy is that of chance, " +
                            std::to_string(chance));
  Result out{(accuracy(surrogate, labels) - chance) / (reached - chance)};
  if (reached < chance)
    out.caveat = "the model is right less often than chance, so worse surrogates score higher";
  return out;
}

Measure completeness_measure() {
  return {.question = "What part of the model's accuracy above chance is reached by {}?",
          .direction = Direction::kHigher,
          .low = -kUnbounded,
          .source =
              "Yeh et al., On Completeness-aware Concept-Based Explanations, NeurIPS 2020; as "
              "in arXiv 2504.10833, Eq. 8",
          .compare_labelled = completeness};
}

std::vector<Metric> declare::completeness() {
  return {
      declare_measure("completeness", completeness_measure(), weighted_concept_scores("sae_eval"))};
}

}  // namespace conoscope::metrics
