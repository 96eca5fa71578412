// SPDX-License-Identifier: Apache-2.0
#include "numerics/statistics/rubin_pooling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include "numerics/checks.h"
#include "numerics/random.h"
#include "numerics/statistics/correlation.h"
#include "numerics/statistics/distributions.h"
#include "numerics/statistics/moments.h"
#include "numerics/statistics/sample_checks.h"

namespace conoscope::numerics {

namespace {

/// Box and Muller: two standard normal numbers at a time. Not Random::normal(): recorded
/// correlations rest on these draws.
class Normal {
 public:
  explicit Normal(std::uint64_t seed) : random_(seed) {}

  double operator()() {
    if (left_) {
      left_ = false;
      return second_;
    }
    const double radius = std::sqrt(-2.0 * std::log1p(-random_.uniform()));
    const double angle = 2.0 * std::numbers::pi * random_.uniform();
    second_ = radius * std::sin(angle);
    left_ = true;
    return radius * std::cos(angle);
  }

 private:
  Random random_;
  double second_ = 0.0;
  bool left_ = false;
};

void require_errors(const char* argument, const VectorRef& errors) {
  for (Index i = 0; i < errors.size(); ++i)
    if (errors(i) < 0.0)
      refuse("monte_carlo_correlation", std::string(argument) + " is " + std::to_string(errors(i)) +
                                            " at entry " + std::to_string(i) + ", below 0");
}

}  // namespace

RubinPooling rubin_pooling(const VectorRef& estimates, double within, double complete_dof) {
  require_sample("rubin_pooling", "estimates", estimates, 2);
  if (!(within > 0.0) || std::isinf(within))
    refuse("rubin_pooling", "within is " + std::to_string(within) + ", not above 0");
  if (!(complete_dof > 0.0))
    refuse("rubin_pooling", "complete_dof is " + std::to_string(complete_dof) + ", not above 0");
  RubinPooling pooled;
  pooled.draws = estimates.size();
  const auto m = static_cast<double>(pooled.draws);
  pooled.mean = estimates.mean();
  pooled.within = within;
  pooled.between = squared_deviations(as_span(estimates)) / (m - 1.0);
  const double inflated = (1.0 + 1.0 / m) * pooled.between;
  pooled.total = within + inflated;
  pooled.t = pooled.mean / std::sqrt(pooled.total);
  const double ratio = 1.0 + within / inflated;  // inf where between is 0
  pooled.dof_large = (m - 1.0) * ratio * ratio;
  pooled.p_large = student_two_sided_p(pooled.t, pooled.dof_large);
  const double observed = std::isinf(complete_dof) ? std::numeric_limits<double>::infinity()
                                                   : (complete_dof + 1.0) / (complete_dof + 3.0) *
                                                         complete_dof * within / pooled.total;
  pooled.dof = 1.0 / (1.0 / pooled.dof_large + 1.0 / observed);
  pooled.p = student_two_sided_p(pooled.t, pooled.dof);
  return pooled;
}

PooledCorrelation pooled_correlation(const MatrixRef& x, const MatrixRef& y) {
  constexpr const char* kName = "pooled_correlation";
  if (x.rows() != y.rows() || x.cols() != y.cols() || x.rows() < 2 || x.cols() < 4)
    refuse(kName, "x is " + shape_of(x) + " and y " + shape_of(y) +
                      "; both must be M x n, M >= 2, n >= 4");
  require_finite(kName, "x", x);
  require_finite(kName, "y", y);
  Vector r(x.rows());
  Vector x_row, y_row;
  for (Index m = 0; m < x.rows(); ++m) {
    x_row = x.row(m).transpose();
    y_row = y.row(m).transpose();
    r(m) = pearson(x_row, y_row).r;
    if (std::abs(r(m)) == 1.0)
      throw std::domain_error(std::string(kName) + ": |r| is 1 in draw " + std::to_string(m) +
                              ", and Fisher's z infinite");
  }
  const auto n = static_cast<double>(x.cols());
  PooledCorrelation pooled;
  pooled.r_mean = r.mean();
  const Vector z = r.unaryExpr([](double value) { return std::atanh(value); });
  pooled.z = rubin_pooling(z, 1.0 / (n - 3.0), n - 2.0);
  return pooled;
}

PooledCorrelation monte_carlo_correlation(const VectorRef& x_mean, const VectorRef& x_se,
                                          const VectorRef& y_mean, const VectorRef& y_se,
                                          const MonteCarloOptions& options) {
  constexpr const char* kName = "monte_carlo_correlation";
  const Index n = x_mean.size();
  if (x_se.size() != n || y_mean.size() != n || y_se.size() != n)
    refuse(kName, "x_mean has " + std::to_string(n) + " values, x_se " +
                      std::to_string(x_se.size()) + ", y_mean " + std::to_string(y_mean.size()) +
                      " and y_se " + std::to_string(y_se.size()));
  require_sample(kName, "x_mean", x_mean, 4);
  require_sample(kName, "x_se", x_se, 4);
  require_sample(kName, "y_mean", y_mean, 4);
  require_sample(kName, "y_se", y_se, 4);
  require_errors("x_se", x_se);
  require_errors("y_se", y_se);
  if (options.draws < 2)
    refuse(kName, "draws is " + std::to_string(options.draws) + ", less than 2");
  Normal normal(options.seed);
  Matrix x(options.draws, n), y(options.draws, n);
  for (Index m = 0; m < options.draws; ++m)
    for (Index i = 0; i < n; ++i) {
      x(m, i) = x_mean(i) + x_se(i) * normal();
      y(m, i) = y_mean(i) + y_se(i) * normal();
    }
  if (options.clip_at_zero) {
    x = x.cwiseMax(0.0);
    y = y.cwiseMax(0.0);
  }
  return pooled_correlation(x, y);
}

}  // namespace conoscope::numerics
