// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/explainers/sparse_autoencoders/topk.h"

namespace conoscope::methods {

/// Atoms that stay near the convex hull of points of the data.
///
///   w = (W C + Lambda) e^m,   codes and loss as TopKObjective without b_dec
///
/// Before each step and outside its gradient, rows of W are ReLU'd and divided by (their sum +
/// 1e-8), and rows of Lambda longer than delta are cut to that norm.
///
/// points      C, P x D
/// throws      std::invalid_argument: as TopKObjective; points empty or not finite, delta negative
///
/// Source: Fel et al., Archetypal SAE, arXiv:2502.12892; overcomplete a1781af, whose start gives
/// atoms beyond the number of points no point: they stay at 0.
template <typename T>
class ArchetypalObjective final : public Objective<T> {
 public:
  ArchetypalObjective(RowMajor<T> points, double delta, Index latents, TopKOptions options);

  void constrain(Parts<T>& parts) const override;
  SparseLosses differentiate(const RowMajorRef<T>& x, const Parts<T>& at, const StepState& state,
                             Parts<T>& gradient) override;
  RowMajor<T> codes() const override { return codes_.codes(); }
  std::vector<char> fired() const override { return codes_.fired(); }

  /// w of constrained parts.
  RowMajor<T> atoms(const Parts<T>& parts) const;

 private:
  RowMajor<T> points_;
  double delta_;
  TopKObjective<T> codes_;
  Parts<T> inner_, inner_gradient_;
};

}  // namespace conoscope::methods
