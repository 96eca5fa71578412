// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/explainers/sparse_autoencoders/objective.h"

namespace conoscope::methods {

struct JumpReluOptions {
  double weight = 1.0;           ///< lambda
  double bandwidth = 1.0;        ///< eps, of the window through which thresholds learn
  double target = 0.0;           ///< 0: the number of active latents is the penalty
  bool log_threshold = true;     ///< the part kThreshold is log theta, else theta
  bool relu_first = false;       ///< the window sees ReLU(z)
  bool window_of_codes = false;  ///< the penalty's window sees f: only its upper half counts
  bool centred = true;           ///< the encoder reads x - b_dec, else x
};

/// A threshold of its own for each latent.
///
///   z = E (x - b_dec) + b_enc,   f = z [z > theta],   L0 = #[z > theta]
///   loss = |x - x^|^2 + lambda L0,  or, with a target, + lambda (mean L0 / target - 1)^2
///
///   u = (z - theta) / eps,   K(u) = [|u| < 1/2]
///   df/dtheta = -(theta / eps) K,   dL0/dtheta = -K / eps,   df/dz = [z > theta],   dL0/dz = 0
///   and times theta where log theta is learnt
///
/// throws      std::invalid_argument: a weight or target that is negative, bandwidth not above 0
///
/// Source: Rajamanoharan et al., arXiv:2407.14435, equations 11 and 12; ReLU first: its appendix J;
/// log theta: SAELens 6.18; target, theta itself and the window of codes: dictionary_learning
/// 60ec6bf.
template <typename T>
class JumpReluObjective final : public Objective<T> {
 public:
  explicit JumpReluObjective(const JumpReluOptions& options);

  SparseLosses differentiate(const RowMajorRef<T>& x, const Parts<T>& at, const StepState& state,
                             Parts<T>& gradient) override;
  RowMajor<T> codes() const override { return codes_; }

 private:
  JumpReluOptions options_;
  Pattern pattern_;
  RowMajor<T> read_, pre_, codes_, residual_, pull_;
};

}  // namespace conoscope::methods
