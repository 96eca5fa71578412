// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/explainers/sparse_autoencoders/objective.h"

namespace conoscope::methods {

struct ReluOptions {
  double weight = 1.5;    ///< lambda
  bool by_norms = false;  ///< codes count times the norm of their atom
};

/// The first of them: codes by a ReLU, sparse by an L1 penalty.
///
///   f = ReLU(E (x - b_dec) + b_enc),   loss = |x - x^|^2 + lambda sum_j f_j (|w_j|)
///
/// throws      std::invalid_argument: weight negative or not finite
///
/// Source: Bricken et al., Towards Monosemanticity, 2023; by norms, for atoms of any norm:
/// Anthropic's update of April 2024.
template <typename T>
class ReluObjective final : public Objective<T> {
 public:
  explicit ReluObjective(const ReluOptions& options);

  SparseLosses differentiate(const RowMajorRef<T>& x, const Parts<T>& at, const StepState& state,
                             Parts<T>& gradient) override;
  RowMajor<T> codes() const override { return codes_; }

 private:
  ReluOptions options_;
  Pattern pattern_;
  RowMajor<T> centred_, codes_, residual_, pull_, product_;
};

}  // namespace conoscope::methods
