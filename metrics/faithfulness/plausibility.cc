#include "metrics/faithfulness/plausibility.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "metrics/faithfulness/explanation.h"
#include "metrics/faithfulness/psi.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

Plausibility plausibility(const MatrixRef& weight, const Explanation& explanation) {
  constexpr const char* kName = "plausibility";
  detail::require_explanation(kName, explanation);
  numerics::require_finite(kName, "weight", weight);
  const Index outputs = weight.rows();
  if (detail::explained_outputs(explanation) != outputs ||
      (explanation.cavs.rows() > 0 && explanation.cavs.cols() != weight.cols()))
    numerics::refuse(kName, "weight is " + std::to_string(weight.rows()) + " x " +
                                std::to_string(weight.cols()) + ", the explanation has " +
                                std::to_string(detail::explained_outputs(explanation)) +
                                " outputs and CAVs of width " +
                                std::to_string(explanation.cavs.cols()));
  Plausibility result;
  result.by_output = Vector::Zero(outputs);
  for (Index c = 0; c < outputs; ++c) {
    const double length = weight.row(c).norm();
    if (length == 0.0) {
      ++result.skipped;
      continue;
    }
    const MatrixRef cavs = detail::cavs_of(kName, explanation, c);
    double best = cavs.rows() == 0 ? 0.0 : -1.0;
    for (Index k = 0; k < cavs.rows(); ++k) {
      const double norm = cavs.row(k).norm();
      // Rounding may carry a cosine past 1.
      best = std::max(best, norm == 0.0 ? 0.0
                                        : std::clamp(cavs.row(k).dot(weight.row(c)) / norm / length,
                                                     -1.0, 1.0));
    }
    result.by_output(c) = best;
  }
  if (result.skipped == outputs) throw std::domain_error("plausibility: every row of weight is 0");
  result.value = result.by_output.sum() / static_cast<double>(outputs - result.skipped);
  return result;
}

}  // namespace conoscope::metrics
