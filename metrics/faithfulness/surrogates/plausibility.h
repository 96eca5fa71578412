// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/faithfulness/checked_explanation.h"
#include "metrics/metric.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// Is there a concept that points where a class's weights point?
///
///   mean_c max_k cos(v_{c,k}, w_c)
///
/// weight       W, C x D.   explanation  C outputs; class-agnostic: the K CAVs that all share.
/// returns      [-1, 1]; 1: every class's weight vector has a CAV along it. A zero CAV, and an
///              output without a CAV, has cosine 0; an output with w_c = 0 has no direction and is
///              left out, which a caveat counts. parts: the largest cosine of each output, 0 for
///              one that is left out.
/// throws       std::invalid_argument: an explanation of other outputs or another width, or whose
///              projection keeps the CAVs to itself; an entry not finite
///              std::domain_error: W is 0
///
/// Source: Fel et al., 2025 (Archetypal SAE), as described in Kumar and Ahuja, arXiv 2504.10833,
/// App. A, which objects that a maximum sees one concept only and maps to no error of the output.
Result plausibility(const MatrixRef& weight, const CheckedExplanation& explanation);

namespace declare {
std::vector<Metric> plausibility();
}  // namespace declare

}  // namespace conoscope::metrics
