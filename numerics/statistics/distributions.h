// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace conoscope::numerics {

// Tails of the distributions that the tests of this folder refer to. dof may be any real number
// > 0; infinity means the normal distribution.

/// How probable is a |T| at least as large as |t|?   P(|T| >= |t|), T ~ Student(dof)
///
/// returns  [0, 1]; 1 at t = 0, 0 at t = +-inf
/// throws   std::invalid_argument: t is NaN, or dof is not > 0
double student_two_sided_p(double t, double dof);

/// Which t does |T| stay below with probability `level`?
///
/// level    in (0, 1): 0.95 for the two-sided 95 % interval
/// throws   std::invalid_argument: level or dof outside
double student_two_sided_quantile(double level, double dof);

/// Which t does T stay below with probability p?   P(T <= t) = p, T ~ Student(dof)
///
/// p        in (0, 1)
/// throws   std::invalid_argument: p or dof outside
double student_quantile(double p, double dof);

/// Which x does X stay below with probability p?   P(X <= x) = p, X ~ chi-squared(dof)
///
/// p        in (0, 1).   dof  finite
/// throws   std::invalid_argument: p or dof outside
double chi_squared_quantile(double p, double dof);

/// P(Z >= z), Z standard normal.
/// throws   std::invalid_argument: z is NaN
double normal_upper_tail(double z);

/// Which z does a standard normal stay below with probability `level`?
/// throws   std::invalid_argument: level is not in (0, 1)
double normal_quantile(double level);

}  // namespace conoscope::numerics
