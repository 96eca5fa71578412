// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/attack/silent_moves.h"

#include <Eigen/QR>
#include <stdexcept>

#include "numerics/checks.h"

namespace conoscope::metrics {

SilentMoves::SilentMoves(const Matrix& pooled, const Matrix& weight, double share)
    : pooled_(&pooled),
      weight_(&weight),
      non_negative_(pooled.minCoeff() >= 0.0),
      epsilon_(share * pooled.rowwise().norm().mean()) {
  if (!(share > 0.0)) numerics::refuse("attack", "the share is not above 0");
  if (!(epsilon_ > 0.0)) throw std::domain_error("every activation is 0");
}

SilentMoves::Space::Space(const SilentMoves& moves, Index sample) {
  const auto h = moves.pooled_->row(sample);
  free_ = Eigen::RowVectorXd::Ones(h.cols());
  if (moves.non_negative_) free_ = (h.array() >= moves.epsilon_).cast<double>();
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(free(*moves.weight_).transpose());
  const Index rank = qr.rank();
  basis_ = (qr.householderQ() * Eigen::MatrixXd::Identity(h.cols(), rank)).transpose();
  empty_ = static_cast<double>(rank) >= free_.sum();
}

Matrix SilentMoves::Space::project(const MatrixRef& rows) const {
  const Matrix inside = free(rows);
  // Twice, or what rounding leaves of W would be all there is of a row that lies in its span.
  const Matrix once = inside - (inside * basis_.transpose()) * basis_;
  return free(once - (once * basis_.transpose()) * basis_);
}

}  // namespace conoscope::metrics
