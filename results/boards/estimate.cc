// SPDX-License-Identifier: Apache-2.0
#include "results/boards/estimate.h"

#include <cmath>

#include "numerics/statistics/distributions.h"
#include "numerics/statistics/moments.h"

namespace conoscope::results {

double t_half_width(std::int64_t n, double sd, double resampled, double level) {
  const auto count = static_cast<double>(n);
  return numerics::student_two_sided_quantile(level, count - 1) * sd / std::sqrt(count) *
         std::sqrt(1.0 + count * resampled);
}

double over_seeds_spread(std::int64_t n) {
  const auto count = static_cast<double>(n);
  return 2.0 * (count - 1.0) / (count - 2.0);
}

Estimate estimate_of(std::span<const double> values, std::int64_t asked, double resampled) {
  Estimate out{numerics::mean(values), std::nullopt, static_cast<std::int64_t>(values.size()),
               asked};
  if (values.size() > 1)
    out.half_width = t_half_width(out.n, numerics::sample_sd(values), resampled);
  return out;
}

}  // namespace conoscope::results
