// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/explainers/sparse_autoencoders/objective.h"

namespace conoscope::methods {

struct PursuitOptions {
  Index rounds = 5;      ///< k
  bool positive = true;  ///< a row ends where no product is above 0
};

/// Matching pursuit by its own atoms, w of norm 1: there is no encoder.
///
///   r = x - b_dec;   k times:  j = argmax_j <r, w_j>,  v = <r, w_j>,  f_j += v,  r -= v w_j
///
/// products    <x - b_dec, w_j>, K
/// gram        <w_i, w_j>, K x K: products of what is left follow from it
/// visit(j, v) each round
template <typename T, typename Visit>
void pursue(Eigen::RowVector<T, Eigen::Dynamic>& products, const RowMajor<T>& gram,
            const PursuitOptions& options, Visit&& visit) {
  for (Index round = 0; round < options.rounds; ++round) {
    Index best = 0;
    const T value = products.maxCoeff(&best);  // the lowest index of equals
    if (options.positive && !(value > T(0))) return;
    visit(best, value);
    products -= value * gram.row(best);
  }
}

/// Without the part kDecoderBias b_dec is 0.
///
///   loss = |r|^2 of what is left
///
/// with the gradient through the values v, not through the choices of j.
///
/// throws      std::invalid_argument: rounds < 1
///
/// Source: Costa et al., arXiv:2506.03093. overcomplete a1781af: signed and without b_dec; SAELens
/// 6.18: positive, atoms of any norm, ends where a support repeats or |r| < 1e-2.
template <typename T>
class PursuitObjective final : public Objective<T> {
 public:
  explicit PursuitObjective(const PursuitOptions& options);

  SparseLosses differentiate(const RowMajorRef<T>& x, const Parts<T>& at, const StepState& state,
                             Parts<T>& gradient) override;
  RowMajor<T> codes() const override { return codes_; }

 private:
  PursuitOptions options_;
  RowMajor<T> centred_, products_, gram_, codes_;
};

}  // namespace conoscope::methods
