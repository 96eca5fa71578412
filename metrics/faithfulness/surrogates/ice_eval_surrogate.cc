#include "metrics/faithfulness/surrogates/ice_eval_surrogate.h"

#include <stdexcept>

#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

using Flat = Eigen::Map<const Matrix>;

}  // namespace

Matrix ice_eval_surrogate(const ExplainedHead& of) {
  const HeadView& head = of.head();
  const CheckedExplanation& explanation = of.explanation();
  // One sample is P rows of psi and, once these are laid end to end, one row of the head.
  const Index n = head.samples(), width = head.width(), parts = of.flatten() ? head.positions : 1;
  const MatrixRef rows = of.flatten() ? MatrixRef(head.activations) : of.pooled();
  Matrix surrogate(n, head.outputs());

  if (explanation->linear() && !explanation->reconstruct) {
    Matrix effective(head.outputs(), head.weight.cols());
    for (Index c = 0; c < head.outputs(); ++c) {
      const MatrixRef cavs = explanation.cavs(c);
      if (cavs.rows() == 0) {
        effective.row(c).setZero();
        continue;
      }
      const Matrix by_position =
          Flat(head.weight.row(c).data(), parts, width) * cavs.transpose() * cavs;
      effective.row(c) = Eigen::Map<const Eigen::RowVectorXd>(by_position.data(), parts * width);
    }
    surrogate.noalias() = Flat(rows.data(), n, parts * width) * effective.transpose();
  } else if (explanation->class_agnostic) {
    const Matrix rebuilt = of.reconstruct(0, of.project(0, rows));
    surrogate.noalias() = Flat(rebuilt.data(), n, parts * width) * head.weight.transpose();
  } else {
    for (Index c = 0; c < head.outputs(); ++c) {
      const Matrix rebuilt = of.reconstruct(c, of.project(c, rows));
      surrogate.col(c).noalias() =
          Flat(rebuilt.data(), n, parts * width) * head.weight.row(c).transpose();
    }
  }
  surrogate.rowwise() += head.bias.transpose();
  if (!numerics::all_finite(surrogate))
    throw std::domain_error(
        "ice_eval_surrogate: a surrogate logit overflows although all arguments are finite");
  return surrogate;
}

}  // namespace conoscope::metrics
