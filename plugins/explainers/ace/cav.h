// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/explainers/types.h"

namespace conoscope::methods {

/// Which direction separates these rows from those? (a linear classifier's normal, a CAV)
///
///   min over w, b  0.5 |w|^2 + c sum_i log(1 + exp(-y_i (<w, x_i> + b))),   y = +1 has, -1 lacks
///
/// Logistic regression, the intercept free of the penalty; the minimum is unique, so there is
/// nothing to draw.
///
/// has, lacks  rows with and without the concept, m x D and n x D, finite
/// returns     w / |w|; 0 when no direction separates at all (|w| max |x_i| <= 1e-9, rounding)
/// throws      std::invalid_argument: either without rows, other widths, not finite, or c <= 0
///
/// Source: Kim et al., TCAV, ICML 2018 (their default is a linear SVM trained by random descent;
/// the logistic one is an option there).
Vector concept_activation_vector(const MatrixRef& has, const MatrixRef& lacks, double c = 1.0);

}  // namespace conoscope::methods
