#pragma once

#include <vector>

#include "metrics/types.h"

namespace conoscope::metrics {

struct SoftmaxDivergence {
  double cross_entropy = 0.0;  ///< mean_x -sum_c p_c log q_c
  double kl = 0.0;             ///< mean_x sum_c p_c (log p_c - log q_c)
  std::vector<double> kl_rows;
};

/// How surprised is the surrogate's distribution by the model's?
///
///   p = softmax(model), q = softmax(surrogate), both through log-sum-exp; nats
///
/// model_logits, surrogate_logits  n x C, raw.
/// returns  both in [0, inf); kl is 0 where the distributions are equal, and rounding below 0 is
///          set to 0.
/// throws   std::invalid_argument: n < 1, C < 1, shapes that differ, an entry not finite
///
/// Source: as downstream losses of sparse autoencoders: Kumar and Ahuja, arXiv 2504.10833, App. A;
/// the cross entropy is also the loss CEL of C-SHAP-Eval, ibid. Sec. 4.2.2.
SoftmaxDivergence softmax_divergence(const MatrixRef& model_logits,
                                     const MatrixRef& surrogate_logits);

}  // namespace conoscope::metrics
