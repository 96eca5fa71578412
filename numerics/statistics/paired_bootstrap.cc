// SPDX-License-Identifier: Apache-2.0
#include "numerics/statistics/paired_bootstrap.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "numerics/checks.h"
#include "numerics/random.h"
#include "numerics/statistics/sample_checks.h"

namespace conoscope::numerics {

namespace {

double quantile_of_sorted(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - std::floor(at));
}

}  // namespace

PairedBootstrap paired_bootstrap(const VectorRef& a, const VectorRef& b,
                                 const PairedBootstrapOptions& options) {
  constexpr const char* kName = "paired_bootstrap";
  require_pairs(kName, a, b, 2);
  if (options.resamples < 1)
    refuse(kName, "resamples is " + std::to_string(options.resamples) + ", less than 1");
  if (!(options.level > 0.0 && options.level < 1.0))
    refuse(kName, "level is " + std::to_string(options.level) + ", not between 0 and 1");
  const Vector pairs = a - b;
  const Index n = pairs.size();
  PairedBootstrap result;
  result.difference = pairs.mean();
  Random random(options.seed);
  std::vector<double> means(static_cast<std::size_t>(options.resamples));
  Index as_far = 0;
  // A resample that is the sample itself in another order must count, whatever its rounding.
  const double far = std::abs(result.difference) * (1.0 - 1e-12);
  for (double& mean : means) {
    double sum = 0.0;
    for (Index i = 0; i < n; ++i)
      sum += pairs(static_cast<Index>(random.below(static_cast<std::uint64_t>(n))));
    mean = sum / static_cast<double>(n);
    if (std::abs(mean - result.difference) >= far) ++as_far;
  }
  std::sort(means.begin(), means.end());
  result.low = quantile_of_sorted(means, 0.5 * (1.0 - options.level));
  result.high = quantile_of_sorted(means, 0.5 * (1.0 + options.level));
  result.p = static_cast<double>(1 + as_far) / static_cast<double>(options.resamples + 1);
  return result;
}

}  // namespace conoscope::numerics
