// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_surrogate.h"

#include <stdexcept>
#include <string>
#include <utility>

#include "metrics/faithfulness/affine.h"
#include "metrics/faithfulness/surf/surf_weight.h"
#include "numerics/checks.h"
#include "numerics/whole_blocks.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "surf_surrogate";

// A linear psi carries a NaN through to the n x C result, so the larger rows are searched only if
// that shows one.
Matrix finite(Matrix surrogate, const Matrix& rows) {
  if (numerics::all_finite(surrogate)) return surrogate;
  numerics::require_finite(kName, "activations", rows);
  throw std::domain_error(std::string(kName) +
                          ": a surrogate logit overflows although all arguments are finite");
}

// Importances apply after the positions are merged: m = n * positions rows of scores become n.
Matrix projected_surrogate(const MatrixRef& rows, const CheckedExplanation& explanation,
                           const VectorRef& bias, Index positions, Pooling pooling) {
  Matrix surrogate(rows.rows() / positions, bias.size());
  if (explanation->class_agnostic) {
    const Matrix scores = detail::pool_rows(explanation.project(0, rows), positions, pooling);
    surrogate =
        numerics::product_by_whole_blocks<double>(scores, explanation->importance_by_output);
  } else {
    for (Index c = 0; c < bias.size(); ++c) {
      const Index count = explanation->concepts(c);
      if (count == 0) {
        surrogate.col(c).setZero();
        continue;
      }
      const Matrix scores = detail::pool_rows(explanation.project(c, rows), positions, pooling);
      surrogate.col(c).noalias() =
          scores * explanation->importance.segment(explanation->first_row(c), count);
    }
  }
  surrogate.rowwise() += bias.transpose();
  return surrogate;
}

Matrix linear_surrogate(const Matrix& rows, const CheckedExplanation& explanation,
                        const VectorRef& bias) {
  // An explanation without any CAV has no width to multiply with; it says b.
  if (explanation->cavs.rows() == 0) return bias.transpose().replicate(rows.rows(), 1);
  return detail::affine(rows, surf_weight(explanation), bias);
}

}  // namespace

Matrix surf_surrogate(const ExplainedHead& of, PositionRule rule) {
  const HeadView& head = of.head();
  const CheckedExplanation& explanation = of.explanation();
  if (explanation->linear())
    return finite(linear_surrogate(of.pooled(), explanation, head.bias), of.pooled());
  const bool by_position = of.flatten() || rule == PositionRule::kSpatialMean;
  if (!by_position)
    return finite(projected_surrogate(of.pooled(), explanation, head.bias, 1, Pooling::kNone),
                  of.pooled());
  Matrix surrogate(head.samples(), head.outputs());
  for_each_block(head.activations, head.positions, [&](Index first, const Matrix& block) {
    surrogate.middleRows(first / head.positions, block.rows() / head.positions) =
        projected_surrogate(block, explanation, head.bias, head.positions, head.pooling);
  });
  return finite(std::move(surrogate), of.pooled());
}

}  // namespace conoscope::metrics
