// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/types.h"

namespace conoscope::metrics {

/// Which small changes of a sample's pooled activation h does the model not notice at all?
///
///   |d| <= epsilon,   W d = 0,   d_j = 0 where h_j < epsilon and no activation of the layer is negative
///
/// So every logit stays as it is, and what a ReLU gave stays >= 0. epsilon is a share of the mean |h|.
/// A move is of h: below average pooling the same for every position.
class SilentMoves {
 public:
  /// pooled  h, n x D, and W, C x D, of the last layer's head, which is not flattened; both outlive this
  /// share   > 0
  /// throws  std::invalid_argument: a share that is not; std::domain_error: every activation is 0
  SilentMoves(const Matrix& pooled, const Matrix& weight, double share);

  double epsilon() const { return epsilon_; }
  /// No pooled activation is negative.
  bool non_negative() const { return non_negative_; }

  /// Of one sample.
  class Space {
   public:
    Space(const SilentMoves& moves, Index sample);
    /// The part of each row that is such a move except for its length; without the first condition of W
    /// where it is not silent.
    Matrix project(const MatrixRef& rows) const;
    Matrix free(const MatrixRef& rows) const { return rows.array().rowwise() * free_.array(); }
    bool empty() const { return empty_; }

   private:
    Eigen::RowVectorXd free_;  ///< 1 where h may move
    Matrix basis_;             ///< r x D, orthonormal rows: what of W lies in the free coordinates
    bool empty_ = false;
  };

 private:
  const Matrix* pooled_;
  const Matrix* weight_;
  bool non_negative_;
  double epsilon_;
};

}  // namespace conoscope::metrics
