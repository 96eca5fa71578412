// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/types.h"

namespace conoscope::numerics {

struct TTest {
  double difference = 0.0;  ///< mean(a) - mean(b)
  double se = 0.0;          ///< of the difference
  double t = 0.0;           ///< difference / se; +-inf where se = 0 and the means differ
  double dof = 0.0;
  double p = 1.0;           ///< two-sided
  double half_width = 0.0;  ///< the interval of the difference is difference +- half_width
};

/// Do two independent groups have one mean? Their variances may differ.
///
///   se^2 = s_a^2/n_a + s_b^2/n_b,   t = (mean a - mean b)/se,
///   dof  = se^4 / ((s_a^2/n_a)^2/(n_a - 1) + (s_b^2/n_b)^2/(n_b - 1))
///
/// a, b     n_a, n_b >= 2 values each
/// level    of the interval, in (0, 1)
/// returns  Both variances 0: p is 1 for equal means, else 0; dof is then n_a + n_b - 2.
/// throws   std::invalid_argument: fewer than 2 values, a value not finite, level outside
///
/// Source: Welch, Biometrika 1947.
TTest welch_t_test(const VectorRef& a, const VectorRef& b, double level = 0.95);

/// What is known of a group whose values are not.
struct Moments {
  double mean = 0.0;
  double sd = 0.0;  ///< of the sample: with n - 1. Of a population sd, times sqrt(n / (n - 1)).
  Index n = 2;
};

/// The same of two groups' moments.
///
/// throws   std::invalid_argument: n < 2, a mean or sd not finite, sd < 0, level outside
TTest welch_t_test_of_moments(const Moments& a, const Moments& b, double level = 0.95);

/// Does the difference of paired values have mean 0?   Student's t test of a - b, n - 1 dof.
///
///   se^2 = (1/n + rho) s^2
///
/// a, b     n >= 2 pairs
/// resampled  rho >= 0: test rows over training rows, where the pairs are splits of one finite sample
///          and so not independent; 0: they are.
/// returns  All differences equal: p is 1 if they are 0, else 0.
/// throws   std::invalid_argument: lengths that differ, n < 2, a value not finite, level outside, rho
///          negative or not finite
///
/// Source: Student, Biometrika 1908; rho: Nadeau and Bengio, Inference for the Generalization Error,
/// Machine Learning 52, 2003, the corrected resampled t test.
TTest paired_t_test(const VectorRef& a, const VectorRef& b, double level = 0.95,
                    double resampled = 0.0);

}  // namespace conoscope::numerics
