// SPDX-License-Identifier: Apache-2.0
#include "numerics/statistics/distributions.h"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace conoscope::numerics {

namespace {

void require_dof(const char* function, double dof) {
  if (!(dof > 0.0))
    throw std::invalid_argument(std::string(function) + ": dof is " + std::to_string(dof) +
                                "; it must be above 0");
}

void require_probability(const char* function, double p) {
  if (!(p > 0.0 && p < 1.0))
    throw std::invalid_argument(std::string(function) + ": p is " + std::to_string(p) +
                                "; it must be between 0 and 1");
}

}  // namespace

double student_two_sided_p(double t, double dof) {
  require_dof("student_two_sided_p", dof);
  if (std::isnan(t)) throw std::invalid_argument("student_two_sided_p: t is NaN");
  if (std::isinf(t)) return 0.0;
  if (std::isinf(dof)) return std::erfc(std::abs(t) / std::numbers::sqrt2);
  const boost::math::students_t distribution(dof);
  return 2.0 * boost::math::cdf(boost::math::complement(distribution, std::abs(t)));
}

double student_two_sided_quantile(double level, double dof) {
  require_dof("student_two_sided_quantile", dof);
  if (!(level > 0.0 && level < 1.0))
    throw std::invalid_argument("student_two_sided_quantile: level is " + std::to_string(level) +
                                "; it must be between 0 and 1");
  // Boost takes an infinite dof for the normal distribution itself.
  const boost::math::students_t distribution(dof);
  return boost::math::quantile(boost::math::complement(distribution, 0.5 * (1.0 - level)));
}

double student_quantile(double p, double dof) {
  require_dof("student_quantile", dof);
  require_probability("student_quantile", p);
  const boost::math::students_t distribution(dof);
  return boost::math::quantile(distribution, p);
}

double chi_squared_quantile(double p, double dof) {
  require_dof("chi_squared_quantile", dof);
  require_probability("chi_squared_quantile", p);
  if (std::isinf(dof)) throw std::invalid_argument("chi_squared_quantile: dof is infinite");
  const boost::math::chi_squared distribution(dof);
  return boost::math::quantile(distribution, p);
}

double normal_upper_tail(double z) {
  if (std::isnan(z)) throw std::invalid_argument("normal_upper_tail: z is NaN");
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

double normal_quantile(double level) {
  if (!(level > 0.0 && level < 1.0))
    throw std::invalid_argument("normal_quantile: level is " + std::to_string(level) +
                                "; it must be between 0 and 1");
  return boost::math::quantile(boost::math::normal_distribution<double>(), level);
}

}  // namespace conoscope::numerics
