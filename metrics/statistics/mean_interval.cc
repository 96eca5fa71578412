#include "metrics/statistics/mean_interval.h"

#include <cmath>

#include "metrics/statistics/distributions.h"
#include "metrics/statistics/sample_checks.h"

namespace conoscope::metrics {

MeanInterval mean_interval(const VectorRef& values, double level) {
  detail::require_sample("mean_interval", "values", values, 2);
  MeanInterval result;
  result.n = values.size();
  const auto n = static_cast<double>(result.n);
  result.mean = values.mean();
  result.sd = std::sqrt(detail::squared_deviations(values) / (n - 1.0));
  result.se = result.sd / std::sqrt(n);
  result.half_width = student_two_sided_quantile(level, n - 1.0) * result.se;
  return result;
}

}  // namespace conoscope::metrics
