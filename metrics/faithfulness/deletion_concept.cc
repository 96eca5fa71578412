#include "metrics/faithfulness/deletion_concept.h"

#include <cmath>
#include <string>

#include "numerics/checks.h"

namespace conoscope::metrics {

DeletionCurve deletion_concept(const MatrixRef& scores, const VectorRef& importance,
                               const std::function<double(const MatrixRef& scores)>& answer) {
  constexpr const char* kName = "deletion_concept";
  if (scores.rows() < 1 || scores.cols() < 1 || importance.size() != scores.cols())
    numerics::refuse(kName, "scores is " + std::to_string(scores.rows()) + " x " +
                                std::to_string(scores.cols()) + " with " +
                                std::to_string(importance.size()) + " importances");
  numerics::require_finite(kName, "scores", scores);
  DeletionCurve curve;
  curve.order = deletion_order(importance);
  Matrix left = scores;
  curve.values.push_back(answer(left));
  for (const Index k : curve.order) {
    left.col(k).setZero();
    curve.values.push_back(answer(left));
  }
  for (const double value : curve.values)
    if (!std::isfinite(value)) numerics::refuse(kName, "the answer is " + std::to_string(value));
  curve.auc = deletion_auc(curve.values);
  return curve;
}

}  // namespace conoscope::metrics
