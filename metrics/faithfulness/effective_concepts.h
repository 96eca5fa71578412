#pragma once

#include <vector>

#include "metrics/faithfulness/checked_explanation.h"
#include "metrics/metric.h"

namespace conoscope::metrics {

/// How many concepts carry the importance of an output?
///
///   s_ck = |alpha_ck| / sum_j |alpha_cj|                      share of concept k in output c
///   E    = mean_c exp( - sum_k s_ck ln s_ck ),   0 ln 0 = 0   Hill number of order 1
///
/// An output with m concepts of equal importance has m, whatever m; concepts of importance 0 do not
/// count. What is counted is the claim: every CAV of a subspace counts for itself, and a CAV made
/// longer with its importance made smaller is counted as the smaller importance.
///
/// explanation  C outputs.
/// returns      [1, max_c K_c]. parts: the number of each output, 0 for one that is left out. An
///              output without a concept, or with importances of 0 only, is left out, which a
///              caveat counts.
/// throws       std::invalid_argument: as CheckedExplanation
///              std::domain_error: every importance of every output is 0
///
/// Source: Hill, Diversity and evenness: a unifying notation and its consequences, Ecology 54(2),
/// 1973, Eq. 5 (order 1).
Result effective_concepts(const CheckedExplanation& explanation);

namespace declare {
std::vector<Metric> effective_concepts();
}  // namespace declare

}  // namespace conoscope::metrics
