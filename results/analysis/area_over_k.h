// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace conoscope::results {

/// How good is a method over all its numbers of concepts? The area under its curve, as a mean
/// height.
///
///   A = 1 / (K_n - K_1) sum_{i=1}^{n-1} (K_{i+1} - K_i) (s_i + s_{i+1}) / 2
///
/// A number of concepts that is not there is bridged by a straight line.
///
/// k        numbers of concepts, ascending, at least two.   score  one for each, finite
/// returns  within the smallest and the largest score; s if all scores are s. Of `completeness`: 1
///          where every number of concepts keeps all of the model's accuracy, 0 where none keeps
///          any.
/// throws   std::invalid_argument: fewer than two, k not ascending, as many scores as k are not
///          there, a score that is not finite
///
/// Source: trapezoidal rule, Abramowitz & Stegun, Handbook of Mathematical Functions, 25.4.2, over
/// the completeness of Yeh et al., NeurIPS 2020, as a function of the number of concepts. Division
/// by the range is ours: it makes sweeps over other ranges read on the score's own scale.
double area_over_k(std::span<const double> k, std::span<const double> score);

}  // namespace conoscope::results
