#include "metrics/faithfulness/completeness.h"

#include <stdexcept>
#include <string>

#include "metrics/faithfulness/class_assignment.h"
#include "metrics/faithfulness/logit_pair.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

double accuracy(const MatrixRef& logits, const IndexVector& labels) {
  const IndexVector predictions = class_assignment(logits).predictions;
  numerics::require_labels("accuracy", labels, logits.rows(), logits.cols());
  Index right = 0;
  for (size_t i = 0; i < labels.size(); ++i) right += predictions[i] == labels[i];
  return static_cast<double>(right) / static_cast<double>(labels.size());
}

double completeness(const MatrixRef& model_logits, const MatrixRef& surrogate_logits,
                    const IndexVector& labels) {
  detail::require_logit_pair("completeness", model_logits, surrogate_logits);
  const double chance = 1.0 / static_cast<double>(model_logits.cols());
  const double model = accuracy(model_logits, labels);
  if (model == chance)
    throw std::domain_error("completeness: the model's accuracy is that of chance, " +
                            std::to_string(chance));
  return (accuracy(surrogate_logits, labels) - chance) / (model - chance);
}

}  // namespace conoscope::metrics
