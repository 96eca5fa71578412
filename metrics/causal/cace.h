// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/metric.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// How far are the effects that an explanation claims from those that concepts have on the model?
///
///   e = sqrt( sum_jc (claim_jc - tau_jc)^2 / sum_jc tau_jc^2 )
///
/// truth   tau, k x C: see causal_effects of the model's logits; rows of NaN are left out.
/// claim   k x C: see claimed_effects.
/// returns [0, inf): 0: every effect as claimed; 1: no better than to claim that nothing has an
///         effect. parts: of each concept, sqrt(mean_c (claim_jc - tau_jc)^2), in logits; NaN rows
///         left out.
/// throws  std::invalid_argument: shapes that differ, an entry of the claim not finite where the
///         truth is; std::domain_error: no concept changes, or none has an effect on any output
///
/// Source: ours; the effect is that of Goyal et al., arXiv 1907.07165.
Result cace_error(const MatrixRef& truth, const MatrixRef& claim);

/// Are the effects that an explanation claims larger where they are larger, whatever their unit?
///
///   Pearson's r of claim_jc and tau_jc over all concepts and outputs
///
/// returns  [-1, 1]. throws  as cace_error, and std::domain_error: fewer than three pairs; all claims
///          are the same, or all effects
Result cace_correlation(const MatrixRef& truth, const MatrixRef& claim);

namespace declare {
/// cace_error and cace_correlation, of an explanation of a head view or of a concept model that
/// answers interventions. Where the outputs are classes, each concept's effects, the true and the
/// claimed, are taken less their mean over the outputs: what is added to all logits changes no answer; the effects of concepts that are seen in fewer than nine tenths of the
/// combinations with others are refused.
std::vector<Metric> cace();
}  // namespace declare

}  // namespace conoscope::metrics
