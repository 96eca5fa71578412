// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/faithfulness/explained_head.h"
#include "metrics/types.h"

namespace conoscope::metrics {

/// What does the model answer, if it sees only what the concepts of a class keep of an embedding?
///
///   y^_c(x) = <w_c, psi^-1(psi(h; V_c); V_c)> + b_c     every output with its own concepts
///
///   kPooled       h = mean_j h_j
///   kSpatialMean  mean_j psi^-1(psi(h_j))     equal to kPooled where psi and psi^-1 are linear
///   flatten head  sum_j <w_{c,j}, psi^-1(psi(h_j))> + b_c, whatever the rule
///
/// of       Importances are not used. Without a reconstruction of its own the explanation is read as
///          sum_k p_k v_k, with no Gram inverse even if CAVs are not orthogonal; under a linear psi
///          that is one product with the head V_c^T V_c w_c.
/// returns  n x C, on the scale of the model's logits; b_c for an output without a concept.
/// throws   std::invalid_argument: psi or its inverse returns another shape or an entry that is not
///          finite; neither a reconstruction nor a CAV for each concept
///          std::domain_error: all entries are finite, yet a surrogate logit overflows
///
/// Source: Zhang et al., AAAI 2021 (ICE), as written in Kumar and Ahuja, arXiv 2504.10833, Eq. 4: the
/// model's own upper part reads the reconstruction of the layer, and below average pooling the layer is
/// the positions: kSpatialMean, for concepts that were learnt there (App. C.10). The paper's controls
/// have one embedding, the pooled one (App. B.2), which kPooled rebuilds whatever the layer.
Matrix ice_eval_surrogate(const ExplainedHead& of, PositionRule rule = PositionRule::kPooled);

}  // namespace conoscope::metrics
