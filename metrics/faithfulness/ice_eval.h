#pragma once

#include <vector>

#include "metrics/metric.h"
#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

/// How well do the concepts of a class rebuild the embedding, as far as its output notices?
///
///   ice_eval_mae  ice_eval_emd  ice_eval_top1  ice_eval_rank_corr  ice_eval_norm_l1
///   ice_eval_fidelity_error  ice_eval_params  ice_eval_flops
///
/// The logits of ice_eval_surrogate against the model's: ICE's own two measures are norm_l1 (on the
/// true class) and top1; the others are SURF's on this surrogate. fidelity_error is the mean of
/// ice_fidelity_error over the classes that have a sample. Importances play no part, so no
/// randomised importance is ever noticed.
///
/// subject  head and explanation; annotations.labels for norm_l1 and fidelity_error.
/// returns  one Score per name, always all of them in this order. `not_applicable`: a missing view
///          or missing labels; all but mae, params and flops for a head that is not softmax.
///          `undefined`: rank_corr with one output, norm_l1 where every true class's logit is 0.
/// throws   as model_logits, ice_eval_surrogate and surf_norm_l1
///
/// Source: Zhang et al., AAAI 2021 (ICE); Kumar and Ahuja, arXiv 2504.10833, Eq. 4-6, 13, Table 3.
std::vector<Score> ice_eval(const Views& subject);

namespace declare {
/// The rows of the group `ice_eval`.
std::vector<Metric> ice_eval();
}  // namespace declare

}  // namespace conoscope::metrics
