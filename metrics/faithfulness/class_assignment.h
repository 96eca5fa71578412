// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/faithfulness/logits.h"
#include "metrics/types.h"

namespace conoscope::metrics {

struct ClassAssignment {
  IndexVector predictions;           ///< n: the class of each sample
  std::vector<IndexVector> members;  ///< C lists: the samples of each class, in their order
};

/// Which samples belong to a class, when its concepts are looked for?
///
///   class of x = argmax_c y_c(x),   ties: the lowest index
///
/// What is explained is the model, so membership is the model's prediction, never the label.
///
/// logits   n x C, the model's own, on the TRAINING split.
/// returns  predictions and members; a class that the model never predicts has no member.
///
/// Source: Kumar and Ahuja, arXiv 2504.10833, App. C.2.
ClassAssignment class_assignment(const Logits& logits);

}  // namespace conoscope::metrics
