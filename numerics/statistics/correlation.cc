#include "numerics/statistics/correlation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

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

}  // namespace

Correlation pearson(const VectorRef& x, const VectorRef& y) {
  require_xy("pearson", x, y);
  return correlate(x, y);
}

Correlation spearman(const VectorRef& x, const VectorRef& y) {
  require_xy("spearman", x, y);
  return correlate(mid_ranks(x), mid_ranks(y));
}

}  // namespace conoscope::numerics
