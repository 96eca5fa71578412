// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/types.h"

namespace conoscope::models {

struct SparseHeadOptions {
  /// Each output is a logistic regression of its own; else one softmax of all.
  bool one_vs_rest = false;
  double penalty = 1e-5;   ///< alpha >= 0
  double l1_share = 0.99;  ///< of the penalty, in [0, 1]
  numerics::Index steps = 5000;
};

/// scores -> weight scores + bias.
struct SparseHead {
  numerics::Matrix weight;  ///< C x k
  numerics::Vector bias;    ///< C

  numerics::Matrix answer(
      const numerics::MatrixRef& scores) const;  ///< n x C; equal rows, equal bits
};

/// Logistic regression with an elastic net.
///
///   minimise over W, b   mean_i loss_i + alpha (share sum |W| + (1 - share)/2 sum W^2)
///
/// loss: the cross entropy of softmax, or of one_vs_rest the sum over outputs of their logistic losses.
///
/// scores  n x k.   targets  n x C in [0, 1]; of softmax each row sums up to 1.
/// returns the optimum, by accelerated proximal gradient steps with restarts (FISTA) until a step moves
///         nothing by more than 1e-7 of its scale, or after `steps`. Rows that can be told apart without error
///         have their optimum far away; then the steps decide.
/// throws  std::invalid_argument: shapes that do not fit, an entry not finite, a penalty or a share out
///         of range
///
/// Source: Zou & Hastie 2005; Beck & Teboulle 2009; O'Donoghue & Candes 2015.
SparseHead sparse_head(const numerics::MatrixRef& scores, const numerics::MatrixRef& targets,
                       const SparseHeadOptions& options);

}  // namespace conoscope::models
