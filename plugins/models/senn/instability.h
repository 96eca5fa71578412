#pragma once

#include "plugins/models/common/torch/weights.h"

namespace conoscope::models {

/// By how much the relevances are not constant around a sample:
/// |grad_x f - sum_i theta_i grad_x h_i|, the norm over inputs and outputs, mean over samples (>= 0).
/// What remains of grad_x f when the second term is taken off is sum_i h_i grad_x theta_i.
///
/// theta        n x k x C, the relevances
/// h            n x k, the concepts
/// x            n x any, the inputs, of which both were computed
/// of_concepts  theta depends on x through h alone. Where there are more outputs than concepts the
///              chain rule then differentiates the encoder once for each concept, not for each output.
///
/// Source: the gradient regularisation of Alvarez-Melis & Jaakkola, 2018. A root has no slope at 0, so
/// 10^-12 is added below it.
Tensor instability(const Tensor& theta, const Tensor& h, const Tensor& x, bool of_concepts);

}  // namespace conoscope::models
