#pragma once

#include <vector>

#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

struct SurfOptions {
  /// Also score the kSpatialMean rule; under a psi that is not linear this costs P times the pooled
  /// one.
  bool spatial_mean = true;
};

/// Is this explanation, read as a model of its own, the model that it explains?
///
/// Computes the model's logits and the surrogate's once and returns every SURF score:
///
///   surf_mae  surf_emd  surf_top1  surf_rank_corr  surf_rank_corr_undefined  surf_norm_l1
///   surf_attr_acc  surf_prob_mae        psi on the pooled embedding (flatten head: sum of
///   positions)
///   ..._spatial_mean                    the same eight, psi on every position, averaged
///   surf_params  surf_flops             what the surrogate costs
///
/// Which of them apply follows from the head's output kind:
///
///   softmax     mae, emd, top1, rank_corr, rank_corr_undefined, norm_l1 (with labels)
///   sigmoid     mae, attr_acc, prob_mae      its outputs form no distribution
///   regression  mae
///
/// subject  head and explanation; annotations.labels for surf_norm_l1.
/// returns  one Score per name, always all of them in this order. reason is `not_applicable` for
///          what does not apply, for a missing view or missing labels, and for _spatial_mean under
///          a flatten head; `undefined` for surf_rank_corr with one output and surf_norm_l1 where
///          every true class's logit is 0. parts of surf_mae, surf_emd and surf_rank_corr: per
///          sample, 0 where a rank correlation is undefined (there it counts 0).
/// throws   as model_logits, surf_surrogate and surf_norm_l1
///
/// Source: Kumar and Ahuja, arXiv 2504.10833 (SURF). Norm L1 is ICE's measure on the SURF
/// surrogate.
std::vector<Score> surf(const Views& subject, const SurfOptions& options = {});

}  // namespace conoscope::metrics
