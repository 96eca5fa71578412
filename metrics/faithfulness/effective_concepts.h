// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/faithfulness/checked_explanation.h"
#include "metrics/metric.h"

namespace conoscope::metrics {

/// How many numbers does an explanation use for an output?
///
///   E = mean_c |{k : |alpha_ck| > 1e-12 max_l |alpha_cl|}|
///
/// What is counted is the budget: a concept of importance 0 costs nothing, and of a concept that is
/// a subspace every dimension counts, for each is a scalar that the surrogate may weigh. Explanations
/// are compared fairly at equal E.
///
/// explanation  C outputs.
/// returns      [1, max_c K_c]. parts: the number of each output, 0 for one that is left out. An
///              output without a concept, or with importances of 0 only, is left out, which a
///              caveat counts.
/// throws       std::invalid_argument: as CheckedExplanation
///              std::domain_error: every importance of every output is 0
///
/// Source: Srivastava et al., Vision-language-guided CBM, arXiv 2408.01432: the number of effective
/// concepts (NEC), of weights other than 0. An output without any is left out here. Kumar and Ahuja,
/// arXiv 2504.10833, Fig. 2, count concepts and take a subspace for one.
Result effective_concepts(const CheckedExplanation& explanation);

namespace declare {
std::vector<Metric> effective_concepts();
}  // namespace declare

}  // namespace conoscope::metrics
