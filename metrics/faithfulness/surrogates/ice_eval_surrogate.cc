#include "metrics/faithfulness/surrogates/ice_eval_surrogate.h"

#include <stdexcept>

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

Matrix ice_eval_surrogate(const ExplainedHead& of) {
  const HeadView& head = of.head();
  const CheckedExplanation& explanation = of.explanation();
  // One sample is P rows of psi and, once these are laid end to end, one row of the head.
  const Index parts = of.flatten() ? head.positions : 1, columns = parts * head.width();
  const bool folds = explanation->linear() && !explanation->reconstruct;
  const Matrix effective = folds ? folded_weight(of, parts) : Matrix();
  Matrix surrogate(head.samples(), head.outputs());
  const auto answer = [&](Index first_row, const Matrix& rows) {
    const Index n = rows.rows() / parts;
    auto part = surrogate.middleRows(first_row / parts, n);
    if (folds) {
      part.noalias() = Flat(rows.data(), n, columns) * effective.transpose();
    } else if (explanation->class_agnostic) {
      const Matrix rebuilt = of.reconstruct(0, of.project(0, rows));
      part.noalias() = Flat(rebuilt.data(), n, columns) * head.weight.transpose();
    } else {
      for (Index c = 0; c < head.outputs(); ++c) {
        const Matrix rebuilt = of.reconstruct(c, of.project(c, rows));
        part.col(c).noalias() = Flat(rebuilt.data(), n, columns) * head.weight.row(c).transpose();
      }
    }
  };
  if (of.flatten())
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
