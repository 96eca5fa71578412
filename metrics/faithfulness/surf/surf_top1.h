// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/faithfulness/measure.h"

namespace conoscope::metrics {

/// How often does the surrogate choose the class that the model chooses?
///
///   Top-1 = 1/n #{x: argmax_c s_c(x) = argmax_c y_c(x)},   ties: the lowest index
///
/// model, surrogate  n x C, raw (no softmax), see model_logits and surf_surrogate.
/// returns  [0, 1]; 1: always. The label plays no part: this is agreement with the model.
///          One output (C = 1): always 1. Softmax keeps order, so logits are compared.
/// throws   std::invalid_argument: shapes that differ
///
/// Source: Kumar and Ahuja, arXiv 2504.10833 (SURF), Top-1.
Result surf_top1(const Logits& model, const Logits& surrogate);

/// Of any surrogate.
Measure surf_top1_measure();

}  // namespace conoscope::metrics
