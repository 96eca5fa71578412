// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/types.h"

namespace conoscope::models {

/// How far a row is on a concept's side of its plane, in units of the activations:
///
///   s_ij = (<v_j, h_i> + b_j) / |v_j|
///
/// h  n x d.   directions  V: k x d.   intercepts  b: k.
/// returns  n x k
/// throws   std::invalid_argument: shapes that do not fit, an entry not finite
///          std::domain_error: a direction is 0
///
/// Source: Yuksekgonul, Wang & Zou, Post-hoc Concept Bottleneck Models, ICLR 2023.
numerics::Matrix plane_distances(const numerics::MatrixRef& h,
                                 const numerics::MatrixRef& directions,
                                 const numerics::VectorRef& intercepts);

/// What the hybrid adds: h -> W h + b.
struct Residual {
  numerics::Matrix weight;  ///< C x d
  numerics::Vector bias;    ///< C
};

/// The loss that a residual is trained by, and its gradient:
///
///   mean_i cross entropy(logits_i + W h_i + b, target_i) + penalty * mean W^2
///
/// one_vs_rest  binary cross entropies, summed over outputs, in place of softmax's
/// targets      n x C
double residual_loss(const numerics::MatrixRef& h, const numerics::MatrixRef& logits,
                     const numerics::MatrixRef& targets, bool one_vs_rest, double penalty,
                     const Residual& residual, Residual* gradient = nullptr);

}  // namespace conoscope::models
