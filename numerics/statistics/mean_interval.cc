#include "numerics/statistics/mean_interval.h"

#include <cmath>

#include "numerics/statistics/distributions.h"
#include "numerics/statistics/moments.h"
#include "numerics/statistics/sample_checks.h"

namespace conoscope::numerics {

MeanInterval mean_interval(const VectorRef& values, double level) {
  require_sample("mean_interval", "values", values, 2);
  MeanInterval result;
  result.n = values.size();
  const auto n = static_cast<double>(result.n);
  result.mean = mean(as_span(values));
  result.sd = sample_sd(as_span(values));
  result.se = result.sd / std::sqrt(n);
  result.half_width = student_two_sided_quantile(level, n - 1.0) * result.se;
  return result;
}

}  // namespace conoscope::numerics
