// SPDX-License-Identifier: Apache-2.0
#include "numerics/statistics/detectable_effect.h"

#include <algorithm>
#include <boost/math/distributions/non_central_t.hpp>
#include <cmath>

#include "numerics/checks.h"
#include "numerics/statistics/distributions.h"

namespace conoscope::numerics {

namespace {

constexpr Index kMostPairs = 1'000'000;

void require_test(const char* function, Index n, double alpha) {
  if (n < 2) refuse(function, "n is " + std::to_string(n) + "; at least 2 pairs are needed");
  if (!(alpha > 0.0 && alpha < 1.0))
    refuse(function, "alpha is " + std::to_string(alpha) + ", not between 0 and 1");
}

void require_power(const char* function, double alpha, double power) {
  if (!(power > alpha && power < 1.0))
    refuse(function, "power is " + std::to_string(power) + ", not between alpha and 1");
}

}  // namespace

double paired_t_power(double effect, Index n, double alpha) {
  require_test("paired_t_power", n, alpha);
  if (std::isnan(effect)) refuse("paired_t_power", "effect is NaN");
  if (effect == 0.0) return alpha;
  const double shift = std::abs(effect) * std::sqrt(static_cast<double>(n));
  const double critical = student_two_sided_quantile(1.0 - alpha, static_cast<double>(n - 1));
  // So far out the test cannot fail in double precision, and the series would not converge.
  if (std::isinf(shift) || shift > 40.0 + 40.0 * critical) return 1.0;
  const boost::math::non_central_t shifted(static_cast<double>(n - 1), shift);
  return boost::math::cdf(boost::math::complement(shifted, critical)) +
         boost::math::cdf(shifted, -critical);
}

double minimum_detectable_effect(Index n, double alpha, double power) {
  require_test("minimum_detectable_effect", n, alpha);
  require_power("minimum_detectable_effect", alpha, power);
  double low = 0.0, high = 1.0;
  while (paired_t_power(high, n, alpha) < power) high *= 2.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (paired_t_power(middle, n, alpha) < power ? low : high) = middle;
  }
  return high;
}

std::optional<Index> pairs_needed(double effect, double alpha, double power) {
  require_test("pairs_needed", 2, alpha);
  require_power("pairs_needed", alpha, power);
  if (std::isnan(effect)) refuse("pairs_needed", "effect is NaN");
  Index high = 2;
  while (paired_t_power(effect, high, alpha) < power) {
    if (high >= kMostPairs) return std::nullopt;
    high = std::min(2 * high, kMostPairs);
  }
  Index low = high / 2;  // shows it less often, or is 1
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    (middle < 2 || paired_t_power(effect, middle, alpha) < power ? low : high) = middle;
  }
  return high;
}

}  // namespace conoscope::numerics
