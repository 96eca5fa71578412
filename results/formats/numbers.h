// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "results/formats/table.h"

namespace conoscope::results {

/// Shortest text that reads back as the same double: 0.1, 1e-09, inf.
std::string shortest_text(double value);

/// So many significant digits, zeros kept: 0.5000, 12.30, 1.235e-07.
std::string digits_text(double value, int digits);

/// The nearest number of so many significant digits that is no nearer to 0: 0.0140782 -> 0.015. What
/// exceeds such a number by no more than rounding (1e-12 of it) counts as it.
double rounded_up(double value, int digits);

/// Mean and half-width with the same decimals, two significant digits of the half-width:
/// "0.812 ± 0.021"; "0.8120 ± -" without a half-width; "-" without any value; " (2/3)" behind it
/// where values are missing.
std::string estimate_text(const Estimate& estimate, int digits);

}  // namespace conoscope::results
