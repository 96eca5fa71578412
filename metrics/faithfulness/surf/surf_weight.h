// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/faithfulness/checked_explanation.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// Which linear head is a linear explanation equal to? (the fold that makes SURF one small product)
///
///   Weff_c = sum_k alpha_{c,k} v_{c,k},    so that sum_k alpha_{c,k} <h, v_{c,k}> = <Weff_c, h>
///
/// explanation  linear (no projection of its own); cavs rows are CAVs, D columns.
/// returns      C x D; a zero row for an output without CAVs.
/// throws       std::invalid_argument: the explanation has a projection
///
/// Source: Kumar and Ahuja, arXiv 2504.10833, Eq. 10 with psi(h; V) = V h. The paper evaluates the
/// projections; folding them first saves a factor K and gives the same number up to rounding.
Matrix surf_weight(const CheckedExplanation& explanation);

}  // namespace conoscope::metrics
