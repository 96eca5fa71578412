// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/faithfulness/explained_head.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// How much more than the head does an explanation read in a sample, and which activations would
/// bear it out?
///
///   e_c(x)  = s_c(x) - (b_c + W_c pool(H))      s: surf_surrogate, W and b: the head's reading
///   H_c'(x) = H + e_c(x) u_c                    the least change after which the head reads s_c
///   u_c     = W_c / |W_c|^2                     at every position; flatten: each position's part
///
/// A view of its argument, which must outlive it.
class SurfClaim {
 public:
  /// throws  as surf_surrogate and head_reading
  explicit SurfClaim(const ExplainedHead& of);

  const ExplainedHead& of() const { return *of_; }
  /// e, n x C. 0 everywhere: the explanation says what the head reads.
  const Matrix& excess() const { return excess_; }
  /// Does any sample say something else of this output than the head?
  bool differs(Index output) const { return !excess_.col(output).isZero(0.0); }
  /// u_c, positions x D.
  ///
  /// throws  std::domain_error: W_c is 0, so that no activation makes the head read anything else
  Matrix step(Index output) const;
  /// H_c' of the samples first ... first + block.rows() / P - 1, whose activations are given.
  Matrix moved(Index output, Index first, const Matrix& block) const;

 private:
  const ExplainedHead* of_;
  Matrix excess_;
};

}  // namespace conoscope::metrics
