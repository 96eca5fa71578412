// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/factors/codes_and_factors.h"
#include "metrics/types.h"

namespace conoscope::metrics {

struct Metric;

struct Explicitness {
  double value = 0.0;  ///< on the test samples
  double train = 0.0;  ///< on the training samples
  Vector by_factor;    ///< test
  Vector train_by_factor;
  IndexVector dropped_codes;    ///< constant in the training samples
  IndexVector dropped_factors;  ///< with one value in the training or the test samples
};

/// Can every value of every factor be told from all codes together by a linear classifier?
///
///   per factor: logistic_regression (C = 1) on codes standardised with training mean and deviation
///   (ddof 0); mean over values v of the area under the ROC curve of p(v | z) against the rest
///
/// codes    n x K'.   factors  n x K.
/// returns  the mean over factors, [0, 1]; 0.5: chance. Only values present in training and, for
///          the test part, in the test samples count; a factor without two such values is dropped.
/// throws   as TrainAndTest; std::domain_error: all codes are constant, or no factor has two values
///
/// Source: Ridgeway and Mozer, NeurIPS 2018. The published code fails where a code is constant or a
/// class is missing; here they are left out.
Explicitness explicitness(const TrainAndTest& samples);

namespace declare {
std::vector<Metric> explicitness();
}  // namespace declare

}  // namespace conoscope::metrics
