#include "metrics/faithfulness/class_assignment.h"

#include <string>

#include "metrics/faithfulness/logit_row.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

ClassAssignment class_assignment(const MatrixRef& logits) {
  if (logits.rows() < 1 || logits.cols() < 1)
    numerics::refuse("class_assignment", "logits is " + std::to_string(logits.rows()) + " x " +
                                             std::to_string(logits.cols()));
  numerics::require_finite("class_assignment", "logits", logits);
  const detail::LogitRow row(logits.cols());
  ClassAssignment result;
  result.members.resize(static_cast<size_t>(logits.cols()));
  for (Index i = 0; i < logits.rows(); ++i) {
    const Index c = row.argmax(detail::row_at(logits, i));
    result.predictions.push_back(c);
    result.members[static_cast<size_t>(c)].push_back(i);
  }
  return result;
}

}  // namespace conoscope::metrics
