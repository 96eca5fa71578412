// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/models/common/torch/tensors.h"

namespace conoscope::models {

/// Scores of any unit as probabilities: for each concept the logistic regression of its annotation
/// on its score, over the training rows, with a ridge of 1e-3 on both coefficients (so that a score
/// that parts the two perfectly has an answer too). Newton's method, on standardised scores.
///
/// scores  n x k, double; concepts n x k, 0 and 1; train: rows
/// returns n x k, double
///
/// Source: Platt, Probabilistic Outputs for Support Vector Machines, 1999, without his smoothing of
/// the targets.
Tensor calibrated(const Tensor& scores, const Tensor& concepts, const Tensor& train);

}  // namespace conoscope::models
