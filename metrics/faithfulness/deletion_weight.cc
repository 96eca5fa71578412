#include "metrics/faithfulness/deletion_weight.h"

#include <string>

#include "metrics/faithfulness/completeness.h"
#include "metrics/faithfulness/model_logits.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

DeletionCurve deletion_weight(const MatrixRef& rows, const MatrixRef& weight, const VectorRef& bias,
                              const MatrixRef& cavs, const VectorRef& importance,
                              const IndexVector& labels) {
  constexpr const char* kName = "deletion_weight";
  constexpr double kSameSpan = 1e-10;
  if (cavs.rows() < 1 || cavs.cols() != weight.cols() || importance.size() != cavs.rows())
    numerics::refuse(kName, "cavs is " + std::to_string(cavs.rows()) + " x " +
                                std::to_string(cavs.cols()) + " with " +
                                std::to_string(importance.size()) + " importances; the head is " +
                                std::to_string(weight.cols()) + " wide");
  numerics::require_finite(kName, "cavs", cavs);
  DeletionCurve curve;
  curve.order = deletion_order(importance);
  Matrix left = weight;
  curve.values.push_back(accuracy(model_logits(rows, left, bias), labels));
  Matrix basis(0, cavs.cols());  // orthonormal rows
  for (const Index k : curve.order) {
    Eigen::RowVectorXd direction = cavs.row(k);
    const double length = direction.norm();
    // Twice: after one pass of Gram-Schmidt nearly parallel CAVs leave a remainder in the span.
    for (int pass = 0; pass < 2; ++pass) direction -= direction * basis.transpose() * basis;
    if (direction.norm() > kSameSpan * length) {
      direction.normalize();
      basis.conservativeResize(basis.rows() + 1, Eigen::NoChange);
      basis.row(basis.rows() - 1) = direction;
      left = weight - weight * basis.transpose() * basis;
    }
    curve.values.push_back(accuracy(model_logits(rows, left, bias), labels));
  }
  curve.auc = deletion_auc(curve.values);
  return curve;
}

}  // namespace conoscope::metrics
