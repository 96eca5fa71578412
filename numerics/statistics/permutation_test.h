// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "numerics/types.h"

namespace conoscope::numerics {

struct PermutationTest {
  double null_mean = 0.0;
  double excess = 0.0;  ///< observed - null_mean
  Index reached = 0;    ///< values of the null that are at least the observed one
  double p = 1.0;
};

/// How far does a statistic exceed what permutations give, and how often do they reach it?
///
///   p = (1 + #{null >= observed}) / (1 + permutations)
///
/// Values that differ by 1e-12 count as equal: a sum in another order is no larger.
///
/// null    the statistic of each permutation, at least one
/// throws  std::invalid_argument: no permutation
///
/// Source: Phipson & Smyth, Statistical Applications in Genetics and Molecular Biology 9, 2010.
PermutationTest permutation_test(double observed, std::span<const double> null);

}  // namespace conoscope::numerics
