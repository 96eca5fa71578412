// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surrogates/ice_eval_surrogate.h"

#include <stdexcept>

#include "metrics/faithfulness/affine.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

using Flat = Eigen::Map<const Matrix>;

/// A linear psi without a reconstruction of its own folds into the weights: w_c V_c^T V_c by position.
Matrix folded_weight(const ExplainedHead& of, Index parts) {
  const HeadView& head = of.head();
  Matrix effective(head.outputs(), head.weight.cols());
  for (Index c = 0; c < head.outputs(); ++c) {
    const MatrixRef cavs = of.explanation().cavs(c);
    if (cavs.rows() == 0) {
      effective.row(c).setZero();
      continue;
    }
    const Matrix by_position =
        Flat(head.weight.row(c).data(), parts, head.width()) * cavs.transpose() * cavs;
    effective.row(c) = Eigen::Map<const Eigen::RowVectorXd>(by_position.data(), by_position.size());
  }
  return effective;
}

}  // namespace

Matrix ice_eval_surrogate(const ExplainedHead& of, PositionRule rule) {
  const HeadView& head = of.head();
  const CheckedExplanation& explanation = of.explanation();
  const bool folds = explanation->linear() && !explanation->reconstruct;
  // A mean and a linear psi commute.
  const bool averaged = !of.flatten() && rule == PositionRule::kSpatialMean && !folds;
  // One sample is `parts` rows of psi and, once these are laid end to end or averaged, one row of the
  // head.
  const Index parts = of.flatten() || averaged ? head.positions : 1, columns = head.weight.cols();
  const Matrix effective = folds ? folded_weight(of, parts) : Matrix();
  Matrix surrogate(head.samples(), head.outputs());
  const auto rebuilt = [&](Index c, const Matrix& rows) -> Matrix {
    Matrix all = of.reconstruct(c, of.project(c, rows));
    return averaged ? detail::pool_rows(all, parts, head.pooling) : all;
  };
  const auto answer = [&](Index first_row, const Matrix& rows) {
    const Index n = rows.rows() / parts;
    auto part = surrogate.middleRows(first_row / parts, n);
    if (folds) {
      part.noalias() = Flat(rows.data(), n, columns) * effective.transpose();
    } else if (explanation->class_agnostic) {
      const Matrix embeddings = rebuilt(0, rows);
      part.noalias() = Flat(embeddings.data(), n, columns) * head.weight.transpose();
    } else {
      for (Index c = 0; c < head.outputs(); ++c) {
        const Matrix embeddings = rebuilt(c, rows);
        part.col(c).noalias() =
            Flat(embeddings.data(), n, columns) * head.weight.row(c).transpose();
      }
    }
  };
  if (of.flatten() || averaged)
    for_each_block(head.activations, parts, answer);
  else
    answer(0, of.pooled());
  surrogate.rowwise() += head.bias.transpose();
  if (!numerics::all_finite(surrogate))
    throw std::domain_error(
        "ice_eval_surrogate: a surrogate logit overflows although all arguments are finite");
  return surrogate;
}

}  // namespace conoscope::metrics
