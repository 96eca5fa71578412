// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "metrics/faithfulness/measure.h"

namespace conoscope::metrics {

/// Is this explanation, read as a model of its own, the model that it explains? The group `surf`:
///
///   surf_mae  surf_emd  surf_top1  surf_rank_corr  surf_rank_corr_undefined  surf_norm_l1
///   surf_attr_acc  surf_prob_mae        psi on the pooled embedding (flatten head: sum of
///                                       positions)
///   surf_mae_spatial_mean  surf_emd_spatial_mean  surf_top1_spatial_mean
///   surf_rank_corr_spatial_mean  surf_rank_corr_undefined_spatial_mean
///   surf_norm_l1_spatial_mean  surf_attr_acc_spatial_mean  surf_prob_mae_spatial_mean
///                                       the same eight, psi on every position, averaged
///   surf_params  surf_flops             what the surrogate costs, see surf_complexity
///
/// Which of them apply follows from the head's output kind:
///
///   softmax     mae, emd, top1, rank_corr, rank_corr_undefined, norm_l1 (with labels)
///   sigmoid     mae, attr_acc, prob_mae      its outputs form no distribution
///   regression  mae
///
/// Source: Kumar and Ahuja, arXiv 2504.10833 (SURF). Norm L1 is ICE's measure on the SURF
/// surrogate.
namespace declare {
std::vector<Metric> surf();
}  // namespace declare

/// The surrogate of surf_surrogate, psi on the pooled embedding, for metrics of any group.
Surrogate weighted_concept_scores(std::string_view group);

}  // namespace conoscope::metrics
