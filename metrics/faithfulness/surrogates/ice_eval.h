// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "metrics/faithfulness/explained_head.h"
#include "metrics/faithfulness/measure.h"

namespace conoscope::metrics {

/// How well do the concepts of a class rebuild the embedding, as far as its output notices? The
/// group `ice_eval`:
///
///   ice_eval_mae  ice_eval_emd  ice_eval_top1  ice_eval_rank_corr  ice_eval_norm_l1
///   ice_eval_fidelity_error                the embedding rebuilt is the pooled one (flatten head:
///                                          each position)
///   ice_eval_mae_spatial_mean  ice_eval_emd_spatial_mean  ice_eval_top1_spatial_mean
///   ice_eval_rank_corr_spatial_mean  ice_eval_norm_l1_spatial_mean
///   ice_eval_fidelity_error_spatial_mean   the same six, each position rebuilt, averaged
///   ice_eval_params  ice_eval_flops
///
/// The logits of ice_eval_surrogate against the model's: ICE's own two measures are norm_l1 (on the
/// true class) and top1; the others are SURF's on this surrogate. Importances play no part, so no
/// randomised importance is ever noticed. Heads that are not softmax: the two mae, params and flops only.
///
/// Source: Zhang et al., AAAI 2021 (ICE); Kumar and Ahuja, arXiv 2504.10833, Eq. 4-6, 13, Table 3.
namespace declare {
std::vector<Metric> ice_eval();
}  // namespace declare

/// The surrogate of ice_eval_surrogate, for metrics of any group; a flatten head has no spatial mean.
Surrogate rebuilt_embeddings(std::string_view group, PositionRule rule = PositionRule::kPooled);

}  // namespace conoscope::metrics
