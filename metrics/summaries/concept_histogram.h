// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/summaries/summary.h"

namespace conoscope::metrics::declare {

/// How are a concept's activations spread, and do they tell the label apart where the concept is the
/// same? One histogram for each concept, annotated value and label that occur together.
///
///   bin b holds the samples with  low + b w <= c_hat < low + (b + 1) w,   w = (high - low) / 20
///
/// The largest activation is in the last bin; low and high are the concept's extremes over all
/// samples. Scalar scores, or the probabilities of vectors. At most 12 concepts; more than 10
/// labels are not told apart.
///
/// Source: Parisini et al., 2025, Fig. 2; the bins are ours.
Summary concept_histogram();

}  // namespace conoscope::metrics::declare
