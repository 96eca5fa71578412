// SPDX-License-Identifier: Apache-2.0
#include "numerics/digamma.h"

#include <numbers>
#include <string>

#include "numerics/checks.h"

namespace conoscope::numerics {

std::vector<double> digamma_table(Index n) {
  if (n < 1) refuse("digamma_table", "n is " + std::to_string(n) + "; it must be >= 1");
  std::vector<double> psi;
  psi.reserve(static_cast<size_t>(n));
  double sum = -std::numbers::egamma, lost = 0.0;
  for (Index m = 1; m <= n; ++m) {
    psi.push_back(sum);
    const double step = 1.0 / static_cast<double>(m) - lost;
    const double next = sum + step;
    lost = (next - sum) - step;
    sum = next;
  }
  return psi;
}

}  // namespace conoscope::numerics
