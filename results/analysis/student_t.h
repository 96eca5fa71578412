#pragma once

#include <cstdint>

namespace conoscope::results {

/// How far from zero does Student's t reach with probability level?
///
///   theta = atan(t / sqrt(nu));   A(t | nu) = P(|T| <= t) is a finite sum in sin and cos of theta:
///   nu odd    A = 2/pi (theta + sin theta (cos theta + 2/3 cos^3 theta + ... ))   (nu = 1: 2 theta
///   / pi) nu even   A = sin theta (1 + 1/2 cos^2 theta + 1 3/(2 4) cos^4 theta + ...)
///
/// level    in (0, 1): 0.95 for the two-sided 95 % interval
/// nu       degrees of freedom, >= 1
/// returns  t with A(t | nu) = level, to about 1e-12 relative
/// throws   std::invalid_argument: level or nu outside
///
/// Source: Abramowitz & Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
double two_sided_t(double level, std::int64_t nu);

}  // namespace conoscope::results
