// SPDX-License-Identifier: Apache-2.0
#include "numerics/statistics/correlation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "numerics/checks.h"
#include "numerics/statistics/distributions.h"
#include "numerics/statistics/mid_ranks.h"
#include "numerics/statistics/moments.h"
#include "numerics/statistics/sample_checks.h"

namespace conoscope::numerics {

namespace {

void require_xy(const char* function, const VectorRef& x, const VectorRef& y) {
  if (x.size() != y.size())
    refuse(function,
           "x has " + std::to_string(x.size()) + " values and y " + std::to_string(y.size()));
  require_sample(function, "x", x, 3);
  require_sample(function, "y", y, 3);
  for (const auto* one : {&x, &y})
    if (squared_deviations(as_span(*one)) == 0.0)
      throw std::domain_error(std::string(function) + ": all values of " + (one == &x ? "x" : "y") +
                              " are equal");
}

Correlation correlate(const VectorRef& x, const VectorRef& y) {
  const Vector dx = x.array() - x.mean(), dy = y.array() - y.mean();
  Correlation result;
  result.r = std::clamp(dx.normalized().dot(dy.normalized()), -1.0, 1.0);
  const double dof = static_cast<double>(x.size()) - 2.0;
  const double rest = (1.0 - result.r) * (1.0 + result.r);
  const double t = rest > 0.0 ? result.r * std::sqrt(dof / rest)
                              : std::copysign(std::numeric_limits<double>::infinity(), result.r);
  result.p = student_two_sided_p(t, dof);
  return result;
}

constexpr Index kMostCounted = 9;

/// How many of the n! orders have which sum of squared rank differences, by half that sum, which is even.
/// Rank by rank, over the set of ranks that are taken.
std::vector<double> order_counts(Index n) {
  const auto sums = static_cast<std::size_t>(n * (n * n - 1) / 6 + 1);
  const std::size_t sets = std::size_t{1} << n;
  // By full sums: those of a part of the ranks may be odd.
  std::vector<std::vector<double>> counts(sets, std::vector<double>(2 * sums, 0.0));
  counts[0][0] = 1.0;
  for (std::size_t taken = 0; taken + 1 < sets; ++taken) {
    const Index rank = std::popcount(taken);
    for (Index other = 0; other < n; ++other) {
      const std::size_t bit = std::size_t{1} << other;
      if ((taken & bit) != 0) continue;
      const auto square = static_cast<std::size_t>((rank - other) * (rank - other));
      std::vector<double>& next = counts[taken | bit];
      for (std::size_t sum = 0; sum + square < next.size(); ++sum)
        next[sum + square] += counts[taken][sum];
    }
  }
  std::vector<double> out(sums);
  for (std::size_t half = 0; half < sums; ++half) out[half] = counts[sets - 1][2 * half];
  return out;
}

/// P(sum of squared rank differences >= sum), by the series.
double series_tail(double n, double sum) {
  const double b = 1.0 / n;
  const double x = (6.0 * (sum - 1.0) * b / (n * n - 1.0) - 1.0) * std::sqrt(n - 1.0);
  const double y = x * x;
  const double u =
      x * b *
      (0.2274 + b * (0.2531 + 0.1745 * b) +
       y * (-0.0758 + b * (0.1033 + 0.3932 * b) -
            y * b *
                (0.0879 + 0.0151 * b - y * (0.0072 - 0.0831 * b + y * b * (0.0131 - 4.6e-4 * y)))));
  return std::clamp(u / std::exp(0.5 * y) + normal_upper_tail(x), 0.0, 1.0);
}

}  // namespace

Correlation pearson(const VectorRef& x, const VectorRef& y) {
  require_xy("pearson", x, y);
  return correlate(x, y);
}

Correlation spearman(const VectorRef& x, const VectorRef& y) {
  require_xy("spearman", x, y);
  return correlate(mid_ranks(x), mid_ranks(y));
}

std::optional<double> spearman_critical_value(Index n, double alpha) {
  require_at_least("spearman_critical_value", "n", n, 3);
  if (!(alpha > 0.0 && alpha < 1.0))
    refuse("spearman_critical_value",
           "alpha is " + std::to_string(alpha) + ", not between 0 and 1");
  // rho = 1 - half / middle is symmetric: the tail of large sums is that of rho -> -1.
  const Index largest = n * (n * n - 1) / 6;
  const double middle = 0.5 * static_cast<double>(largest);
  const auto rho_of = [&](Index half) { return static_cast<double>(half) / middle - 1.0; };
  if (n > kMostCounted) {
    Index low = largest / 2, high = largest;  // low is too common, high is rare enough
    while (high - low > 1) {
      const Index half = low + (high - low) / 2;
      const double sum = 2.0 * static_cast<double>(half);
      (2.0 * series_tail(static_cast<double>(n), sum) > alpha ? low : high) = half;
    }
    return rho_of(high);
  }
  const std::vector<double> counts = order_counts(n);
  double orders = 0.0, above = 0.0;
  for (const double count : counts) orders += count;
  std::optional<double> critical;
  for (Index half = largest; static_cast<double>(half) > middle; --half) {
    const double here = counts[static_cast<std::size_t>(half)];
    if (here == 0.0) continue;  // no order has this sum
    above += here;
    if (2.0 * above / orders > alpha) break;
    critical = rho_of(half);
  }
  return critical;
}

}  // namespace conoscope::numerics
