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

/// P(Z >= z), Z standard normal.
/// throws   std::invalid_argument: z is NaN
double normal_upper_tail(double z);

}  // namespace conoscope::numerics
