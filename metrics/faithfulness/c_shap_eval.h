#pragma once

#include <vector>

#include "metrics/faithfulness/c_shap_eval_surrogate.h"
#include "metrics/metric.h"
#include "metrics/types.h"
#include "metrics/views.h"

namespace conoscope::metrics {

/// How much of the model can a network make of the concept scores?
///
///   c_shap_eval_cel_mae  ..._emd  ..._top1  ..._rank_corr  ..._norm_l1  ..._completeness
///   c_shap_eval_l1_mae   ...      the same six, the network trained with the other loss
///   c_shap_eval_params   c_shap_eval_flops
///
/// Trains the network of c_shap_eval_surrogate twice, once with each loss, from the same initial
/// weights. C-SHAP's own measure is completeness. Importances play no part.
///
/// subject  head, train_head and explanation; annotations.labels for norm_l1 and completeness;
///          seed.
/// returns  one Score per name, always all of them in this order. `not_applicable`: a missing view
///          or missing labels; a flatten head; an explanation without a concept; for a head that is
///          not softmax, all but c_shap_eval_l1_mae, params and flops. `undefined`: training
///          overflowed; completeness of a model at chance; rank_corr with one output.
/// throws   as model_logits and c_shap_eval_surrogate, but for what is a score's reason above
///
/// Source: see c_shap_eval_surrogate; Kumar and Ahuja, arXiv 2504.10833, Eq. 8 and Table 3.
std::vector<Score> c_shap_eval(const Views& subject, const CShapEvalOptions& options = {});

namespace declare {
/// The rows of the group `c_shap_eval`.
std::vector<Metric> c_shap_eval();
}  // namespace declare

}  // namespace conoscope::metrics
