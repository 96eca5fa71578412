#include "metrics/faithfulness/ice_fidelity_error.h"

#include <cmath>

#include "metrics/faithfulness/logit_pair.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

Vector ice_fidelity_error(const MatrixRef& model_logits, const MatrixRef& surrogate_logits,
                          const IndexVector& labels) {
  constexpr const char* kName = "ice_fidelity_error";
  constexpr double kEpsilon = 1e-4;
  detail::require_logit_pair(kName, model_logits, surrogate_logits);
  numerics::require_labels(kName, labels, model_logits.rows(), model_logits.cols());
  const Index outputs = model_logits.cols();
  Vector error = Vector::Zero(outputs), sum = error, count = error;
  for (size_t i = 0; i < labels.size(); ++i) {
    const Index c = labels[i], row = static_cast<Index>(i);
    error(c) += std::abs(model_logits(row, c) - surrogate_logits(row, c));
    sum(c) += model_logits(row, c);
    count(c) += 1.0;
  }
  for (Index c = 0; c < outputs; ++c)
    error(c) =
        count(c) == 0.0 ? -1.0 : error(c) / count(c) / (std::abs(sum(c)) / count(c) + kEpsilon);
  return error;
}

}  // namespace conoscope::metrics
