// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/explainers/types.h"

namespace conoscope::methods {

/// Thresholds by which a BatchTopK autoencoder reads one row at a time.
///
/// The bound above which as many pre-codes lie as there are to be on average.
///
///   theta = the (floor(l0 n) + 1)-th largest of all n x K
///   #[z > theta] = floor(l0 n) unless some are equal
///
/// pre         n x K. Finite.
/// throws      std::invalid_argument: pre empty or not finite; l0 not in [0, K)
double counted_threshold(const Matrix& pre, double l0);

/// The (1 - l0 / K) quantile of all pre-codes, linear between order statistics.
///
/// throws      as counted_threshold; l0 = K is allowed
///
/// Source: the code of arXiv:2605.18229.
double quantile_threshold(const Matrix& pre, double l0);

/// Thresholds that follow training, as published code has them; ours is calibrated afterwards.
struct RunningThreshold {
  double value;
  double keep;        ///< of the old value
  double add;         ///< of the new one
  bool skips_silent;  ///< a batch without active codes changes nothing; else it counts as 0

  /// From -1, which stands for unset: training that ends before the first update leaves it, and
  /// then every positive code passes. Source: dictionary_learning 60ec6bf.
  static RunningThreshold dictionary_learning(double beta = 0.999) {
    return {-1.0, beta, 1.0 - beta, false};
  }
  /// From 0, and that start is not corrected for. Source: SAELens 6.18.
  static RunningThreshold sae_lens(double rate = 0.01) { return {0.0, 1.0 - rate, rate, true}; }
  /// Source: overcomplete a1781af, of the k-th largest code of the batch.
  static RunningThreshold overcomplete(double momentum = 0.9) {
    return {-1.0, momentum, 1.0 - momentum, false};
  }

  /// least: the smallest active code of a batch; 0: none is active.
  void update(double least) {
    if (skips_silent && least <= 0.0) return;
    value = value < 0.0 ? least : keep * value + add * least;
  }
};

}  // namespace conoscope::methods
