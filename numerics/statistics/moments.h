// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace conoscope::numerics {

// Sums in double, one after the other: the same digits whatever the vector width.

/// values   n >= 1
/// returns  the mean; where all values are equal, exactly that value
/// throws   std::invalid_argument: no values
double mean(std::span<const double> values);

/// Sum of squared deviations from the mean, two passes; exactly 0 where all values are equal.
/// throws   std::invalid_argument: no values
double squared_deviations(std::span<const double> values);

/// Standard deviation of a sample, divided by n - 1.
/// throws   std::invalid_argument: fewer than two values
double sample_sd(std::span<const double> values);

/// Of the mean: sample_sd / sqrt(n).
/// throws   std::invalid_argument: fewer than two values
double standard_error(std::span<const double> values);

}  // namespace conoscope::numerics
