#include "metrics/faithfulness/model_logits.h"

#include <stdexcept>
#include <string>

#include "metrics/faithfulness/affine.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "model_logits";

// A NaN or an infinity anywhere in a row of H makes that row's logits not finite, so H (n x D) is
// searched only after the far smaller n x C result has shown that there is something to find.
template <typename Rows>
void require_finite_logits(const Matrix& logits, const Rows& activations, const MatrixRef& weight,
                           const VectorRef& bias) {
  if (numerics::all_finite(logits)) return;
  numerics::require_finite(kName, "activations", activations);
  numerics::require_finite(kName, "weight", weight);
  numerics::require_finite_vector(kName, "bias", bias);
  throw std::domain_error(std::string(kName) +
                          ": a logit overflows although activations, weight and bias are finite");
}

template <typename Rows>
Matrix logits_of_rows(const Rows& rows, const MatrixRef& weight, const VectorRef& bias) {
  if (rows.rows() < 1 || rows.cols() < 1 || weight.rows() < 1 || weight.cols() != rows.cols() ||
      bias.size() != weight.rows())
    numerics::refuse(kName, "rows " + std::to_string(rows.rows()) + " x " +
                                std::to_string(rows.cols()) + ", weight " +
                                std::to_string(weight.rows()) + " x " +
                                std::to_string(weight.cols()) + " and " +
                                std::to_string(bias.size()) + " biases do not fit together");
  Matrix logits = detail::affine(rows, weight, bias);
  require_finite_logits(logits, rows, weight, bias);
  return logits;
}

}  // namespace

Matrix model_logits(const HeadView& head) {
  detail::require_head(kName, head);
  Matrix logits;
  if (head.pooling == Pooling::kFlatten) {
    const Eigen::Map<const Matrix> flat(head.activations.data(), head.samples(),
                                        head.positions * head.width());
    logits = detail::affine(MatrixRef(flat), head.weight, head.bias);
  } else if (head.positions > 1) {
    logits = detail::affine(MatrixRef(detail::pool_positions(head)), head.weight, head.bias);
  } else {
    logits = detail::affine(MatrixRef(head.activations), head.weight, head.bias);
  }
  require_finite_logits(logits, MatrixRef(head.activations), head.weight, head.bias);
  return logits;
}

Matrix model_logits(const MatrixRef& rows, const MatrixRef& weight, const VectorRef& bias) {
  return logits_of_rows(rows, weight, bias);
}

Matrix model_logits(const MatrixRefF& rows, const MatrixRef& weight, const VectorRef& bias) {
  return logits_of_rows(rows, weight, bias);
}

}  // namespace conoscope::metrics
