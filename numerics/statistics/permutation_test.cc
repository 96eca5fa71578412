// SPDX-License-Identifier: Apache-2.0
#include "numerics/statistics/permutation_test.h"

#include "numerics/checks.h"
#include "numerics/statistics/moments.h"

namespace conoscope::numerics {

PermutationTest permutation_test(double observed, std::span<const double> null) {
  constexpr double kRounding = 1e-12;
  if (null.empty()) refuse("permutation_test", "null is empty");
  PermutationTest out;
  out.null_mean = mean(null);
  out.excess = observed - out.null_mean;
  for (const double value : null) out.reached += value >= observed - kRounding;
  out.p = static_cast<double>(1 + out.reached) / static_cast<double>(1 + null.size());
  return out;
}

}  // namespace conoscope::numerics
