#include "metrics/faithfulness/ice_eval_surrogate.h"

#include <stdexcept>
#include <string>

#include "metrics/faithfulness/affine.h"
#include "metrics/faithfulness/explanation.h"
#include "metrics/faithfulness/psi.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "ice_eval";

using Flat = Eigen::Map<const Matrix>;

}  // namespace

Matrix ice_eval_surrogate(const HeadView& head, const Explanation& explanation) {
  detail::require_head(kName, head);
  detail::require_explanation(kName, explanation);
  detail::require_match(kName, head, explanation);
  numerics::require_finite(kName, "activations", head.activations);
  numerics::require_finite(kName, "weight", head.weight);
  numerics::require_finite_vector(kName, "bias", head.bias);

  // One sample is P rows of psi and, once these are laid end to end, one row of the head.
  const bool flatten = head.pooling == Pooling::kFlatten;
  const Index n = head.samples(), width = head.width(), parts = flatten ? head.positions : 1;
  Matrix storage;
  const MatrixRef rows =
      flatten ? MatrixRef(head.activations) : detail::pool_positions(head, storage);
  Matrix surrogate(n, head.outputs());

  if (explanation.linear() && !explanation.reconstruct) {
    Matrix effective(head.outputs(), head.weight.cols());
    for (Index c = 0; c < head.outputs(); ++c) {
      const MatrixRef cavs = detail::cavs_of(kName, explanation, c);
      if (cavs.rows() == 0) {
        effective.row(c).setZero();
        continue;
      }
      const Matrix by_position =
          Flat(head.weight.row(c).data(), parts, width) * cavs.transpose() * cavs;
      effective.row(c) = Eigen::Map<const Eigen::RowVectorXd>(by_position.data(), parts * width);
    }
    surrogate.noalias() = Flat(rows.data(), n, parts * width) * effective.transpose();
  } else if (explanation.class_agnostic) {
    const Matrix rebuilt = detail::reconstruct(kName, explanation, 0,
                                               detail::project(kName, explanation, 0, rows), width);
    surrogate.noalias() = Flat(rebuilt.data(), n, parts * width) * head.weight.transpose();
  } else {
    for (Index c = 0; c < head.outputs(); ++c) {
      const Matrix rebuilt = detail::reconstruct(
          kName, explanation, c, detail::project(kName, explanation, c, rows), width);
      surrogate.col(c).noalias() =
          Flat(rebuilt.data(), n, parts * width) * head.weight.row(c).transpose();
    }
  }
  surrogate.rowwise() += head.bias.transpose();
  if (!numerics::all_finite(surrogate))
    throw std::domain_error(std::string(kName) +
                            ": a surrogate logit overflows although all arguments are finite");
  return surrogate;
}

}  // namespace conoscope::metrics
