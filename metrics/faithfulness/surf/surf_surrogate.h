// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/faithfulness/explained_head.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// What would the model answer if the explanation were all there is to it?
///
///   s_c(x) = sum_k alpha_{c,k} psi(h; V_c)_k + b_c
///
///   kPooled       psi(mean_j h_j; V_c)
///   kSpatialMean  mean_j psi(h_j; V_c)       equal to kPooled for a linear psi
///   flatten head  sum_j psi(h_j; V_c)        whatever the rule: Eq. 10 sums over positions
///
/// of       the head, whose bias is added and whose weight is not used, and its explanation: a linear
///          psi is folded (surf_weight); a projection is called once per output with all rows, or
///          once in all when the explanation is class-agnostic; below positions, once for each block
///          of samples.
/// returns  n x C, on the scale of the model's logits.
/// throws   std::invalid_argument: psi returns another shape or an entry that is not finite
///          std::domain_error: all entries are finite, yet a surrogate logit overflows
///
/// Source: Kumar and Ahuja, arXiv 2504.10833 (SURF), Eq. 3, Eq. 10, Sec. 5.1, App. B.2.1. The paper
/// does not say which rule a non-linear psi follows below average pooling: kPooled is its literal
/// text, kSpatialMean is reported beside it because the two differ (twofold for a sparse
/// autoencoder).
Matrix surf_surrogate(const ExplainedHead& of, PositionRule rule = PositionRule::kPooled);

}  // namespace conoscope::metrics
