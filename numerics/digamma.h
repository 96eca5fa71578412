// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "numerics/types.h"

namespace conoscope::numerics {

/// psi(1) ... psi(n), the logarithmic derivative of the gamma function at whole numbers, which is
/// all that neighbour counts need.
///
///   psi(1) = -0.5772...,   psi(m + 1) = psi(m) + 1/m
///
/// returns  n values, entry m-1 is psi(m); nats. Right to 1e-15 relative: the sum is compensated.
/// throws   std::invalid_argument: n < 1
std::vector<double> digamma_table(Index n);

}  // namespace conoscope::numerics
