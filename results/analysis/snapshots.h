// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/types.h"

namespace conoscope::results {

// What the scores of several snapshots of trainings say of a metric.

struct SignalToNoise {
  double ratio = 0, signal = 0, noise = 0;
};

/// Do variants differ by more than their scores wander from snapshot to snapshot?
///
///   signal  the standard deviation over variants (divided by V - 1) of their means over snapshots
///   noise   the pooled one about each variant's own parabola in time, with T - 3 degrees of freedom each
///   ratio   signal / noise; from 2 on, a metric is called stable
///
/// scores   V x T: variants x snapshots after the warm-up, V >= 2, T >= 4
/// times    T steps, three different ones or more
/// throws   std::invalid_argument: shapes, an entry not finite, times that are too few
///          std::domain_error: the scores lie on their parabolas, so that there is no noise
///
/// Source: arXiv 2605.18229, which does not say by what it divides; V - 1 and T - 3 are ours.
SignalToNoise snapshot_signal_to_noise(const numerics::MatrixRef& scores,
                                       const numerics::VectorRef& times);

/// Does a score rise in training? The least-squares slope of scores over times.
///
/// times, scores  T >= 2 values each
/// throws   std::invalid_argument: lengths that differ, fewer than two, one not finite
///          std::domain_error: all times are equal
double training_slope(const numerics::VectorRef& times, const numerics::VectorRef& scores);

/// Does one single score of each variant decide as their target scores do?
///
/// returns  the share of the pairs of variants that both put in the same order; a tie agrees with a tie
/// throws   std::invalid_argument: lengths that differ, fewer than two, one not finite
///
/// Source: Heineman et al., arXiv 2508.13144.
double decision_accuracy(const numerics::VectorRef& single, const numerics::VectorRef& target);

}  // namespace conoscope::results
