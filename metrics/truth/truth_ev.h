// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/metric.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// What share of the variance of the rows is there again after projection and reconstruction?
///
///   EV = 1 - sum |x - x^|^2 / sum |x - mean x|^2
///
/// rows      x, n x D.   rebuilt  x^, n x D; n, D >= 1, finite
/// returns   (-inf, 1]; 1: all, 0: as bad as answering the mean. All rows equal: 1 where nothing is
///           left over, else 0, as SAELens has it.
/// throws    std::invalid_argument: empty, shapes that differ, an entry not finite
///
/// It says nothing of truth: finished learners that find more of it rebuild less. A constant shift
/// counts; the residual's own variance, which saprmarks/dictionary_learning takes, would forgive
/// it.
///
/// Source: SynthSAEBench, arXiv 2602.14687.
double explained_variance(const MatrixRef& rows, const MatrixRef& rebuilt);

/// How long are the rebuilt rows?   mean of |x^| / |x| over the rows that are not 0
///
/// rows, rebuilt, throws  as above; std::domain_error: every row is 0
/// returns                [0, inf); below 1: shrunk, as by an L1 penalty on the codes
///
/// Source: as above.
double shrinkage(const MatrixRef& rows, const MatrixRef& rebuilt);

namespace declare {
/// truth_ev, truth_shrinkage: of the evaluated rows, rebuilt by the explanation's own
/// reconstruction (NotApplicable without one) with all its concepts, constant ones too.
/// Class-specific: the mean over outputs, of which each rebuilds every row with its own concepts.
std::vector<Metric> truth_ev();
}  // namespace declare

}  // namespace conoscope::metrics
