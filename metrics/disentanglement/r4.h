// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "metrics/factors/codes_and_factors.h"
#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;

struct R4 {
  double value = 0.0;
  Matrix forward;    ///< K x K': R^2 of code j predicted from factor i
  Matrix backward;   ///< K x K': R^2 (accuracy if categorical) of factor i predicted from code j
  Vector by_factor;  ///< best code's geometric mean
};

struct R4Split {
  IndexVector train, test;
};

/// Is each factor a bijection of some code?
///
///   r(i, j) = sqrt( max(0, R2(v_i -> z_j)) max(0, R2(z_j -> v_i)) )     R4 = mean_i max_j r(i, j)
///
/// R2 is the mean over the splits of the test score of a one-feature gradient boosting model: R^2,
/// or the accuracy where the target is_categorical(); accuracy is not corrected for chance. A
/// target with one value in the training or test rows scores 1, so a constant code is predicted
/// perfectly, which is harmless because it predicts nothing itself. Fewer than 2 rows: 0.
///
/// factors  V, n x K.   codes  Z, n x K'.   splits  rows of each: the same for every pair.
/// returns  [0, 1]; 1: every factor has a code that says the same.
/// throws   as CodesAndFactors; std::invalid_argument: no splits, rows out of range
///
/// Source: Ross and Doshi-Velez, ICML 2021.
R4 r4(const CodesAndFactors& sample, const std::vector<R4Split>& splits);

/// On `count` random 75/25 splits; the test part is rounded up.
std::vector<R4Split> r4_splits(Index samples, std::uint64_t seed, Index count = 5);

namespace declare {
std::vector<Metric> r4();
}  // namespace declare

}  // namespace conoscope::metrics
