// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/model_logits.h"

#include <stdexcept>
#include <string>

#include "metrics/faithfulness/affine.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "model_logits";

// A NaN or an infinity anywhere in a row of H makes that row's logits not finite, so H (n x D) is
// searched only after the far smaller n x C result has shown that there is something to find. What
// is to blame once H is not:
[[noreturn]] void refuse_head(const MatrixRef& weight, const VectorRef& bias) {
  numerics::require_finite(kName, "weight", weight);
  numerics::require_finite_vector(kName, "bias", bias);
  throw std::domain_error(std::string(kName) +
                          ": a logit overflows although activations, weight and bias are finite");
}

}  // namespace

Matrix model_logits(const HeadView& head) {
  if (head.last_layer()) return head_reading(head);
  detail::require_head(kName, head);
  if (head.logits.rows() != head.samples() || head.logits.cols() != head.outputs())
    numerics::refuse(kName, "head.logits is " + numerics::shape_of(head.logits) + "; expected " +
                                std::to_string(head.samples()) + " x " +
                                std::to_string(head.outputs()));
  numerics::require_finite(kName, "logits", head.logits);
  return head.logits;
}

Matrix head_reading(const HeadView& head) {
  detail::require_head(kName, head);
  const bool as_laid = head.pooling == Pooling::kFlatten || head.positions == 1;
  Matrix logits(head.samples(), head.outputs());
  for_each_block(head.activations, head.positions, [&](Index first, const Matrix& block) {
    const Index samples = block.rows() / head.positions;
    const Eigen::Map<const Matrix> flat(block.data(), samples, head.positions * head.width());
    logits.middleRows(first / head.positions, samples) =
        detail::affine(as_laid ? MatrixRef(flat)
                               : MatrixRef(detail::pool_rows(block, head.positions, head.pooling)),
                       head.weight, head.bias);
  });
  if (numerics::all_finite(logits)) return logits;
  require_finite_rows(kName, "activations", head.activations, head.positions);
  refuse_head(head.weight, head.bias);
}

Matrix model_logits(const MatrixRef& rows, const MatrixRef& weight, const VectorRef& bias) {
  if (rows.rows() < 1 || rows.cols() < 1 || weight.rows() < 1 || weight.cols() != rows.cols() ||
      bias.size() != weight.rows())
    numerics::refuse(kName, "rows " + numerics::shape_of(rows) + ", weight " +
                                numerics::shape_of(weight) + " and " + std::to_string(bias.size()) +
                                " biases do not fit together");
  Matrix logits = detail::affine(rows, weight, bias);
  if (numerics::all_finite(logits)) return logits;
  numerics::require_finite(kName, "activations", rows);
  refuse_head(weight, bias);
}

}  // namespace conoscope::metrics
