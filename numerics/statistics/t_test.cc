// SPDX-License-Identifier: Apache-2.0
#include "numerics/statistics/t_test.h"

#include <cmath>
#include <limits>
#include <string>

#include "numerics/checks.h"
#include "numerics/statistics/distributions.h"
#include "numerics/statistics/moments.h"
#include "numerics/statistics/sample_checks.h"

namespace conoscope::numerics {

namespace {

TTest t_test(double difference, double se, double dof, double level) {
  TTest test{difference, se, 0.0, dof, 1.0, student_two_sided_quantile(level, dof) * se};
  if (se > 0.0)
    test.t = difference / se;
  else if (difference != 0.0)
    test.t = std::copysign(std::numeric_limits<double>::infinity(), difference);
  test.p = student_two_sided_p(test.t, dof);
  return test;
}

/// v: the variance of a group's mean.
TTest welch(double difference, double n_a, double v_a, double n_b, double v_b, double level) {
  const double sum = v_a + v_b;
  // As shares of the sum: squares of tiny variances would underflow.
  const double share = sum > 0.0 ? v_a / sum : 0.0;
  const double dof =
      sum > 0.0 ? 1.0 / (share * share / (n_a - 1.0) + (1.0 - share) * (1.0 - share) / (n_b - 1.0))
                : n_a + n_b - 2.0;
  return t_test(difference, std::sqrt(sum), dof, level);
}

}  // namespace

TTest welch_t_test(const VectorRef& a, const VectorRef& b, double level) {
  require_sample("welch_t_test", "a", a, 2);
  require_sample("welch_t_test", "b", b, 2);
  const auto n_a = static_cast<double>(a.size()), n_b = static_cast<double>(b.size());
  return welch(mean(as_span(a)) - mean(as_span(b)), n_a,
               squared_deviations(as_span(a)) / (n_a - 1.0) / n_a, n_b,
               squared_deviations(as_span(b)) / (n_b - 1.0) / n_b, level);
}

TTest welch_t_test_of_moments(const Moments& a, const Moments& b, double level) {
  for (const Moments& one : {a, b})
    if (one.n < 2 || !std::isfinite(one.mean) || !std::isfinite(one.sd) || one.sd < 0.0)
      refuse("welch_t_test_of_moments", "a group of " + std::to_string(one.n) + " with mean " +
                                            std::to_string(one.mean) + " and sd " +
                                            std::to_string(one.sd) +
                                            "; needs two values or more, a finite mean, sd >= 0");
  const auto n_a = static_cast<double>(a.n), n_b = static_cast<double>(b.n);
  return welch(a.mean - b.mean, n_a, a.sd * a.sd / n_a, n_b, b.sd * b.sd / n_b, level);
}

TTest paired_t_test(const VectorRef& a, const VectorRef& b, double level, double resampled) {
  require_pairs("paired_t_test", a, b, 2);
  require_weight("paired_t_test", "resampled", resampled);
  const Vector difference = a - b;
  const auto n = static_cast<double>(difference.size());
  const double se =
      std::sqrt(squared_deviations(as_span(difference)) / (n - 1.0) * (1.0 / n + resampled));
  return t_test(mean(as_span(difference)), se, n - 1.0, level);
}

}  // namespace conoscope::numerics
