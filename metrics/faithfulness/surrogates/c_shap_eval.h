#pragma once

#include <vector>

#include "metrics/metric.h"

namespace conoscope::metrics {

/// How much of the model can a network make of the concept scores? The group `c_shap_eval`:
///
///   c_shap_eval_cel_mae  ..._emd  ..._top1  ..._rank_corr  ..._norm_l1  ..._completeness
///   c_shap_eval_l1_mae   ...      the same six, the network trained with the other loss
///   c_shap_eval_params   c_shap_eval_flops
///
/// Trains the network of c_shap_eval_surrogate once with each loss, from the same initial weights.
/// C-SHAP's own measure is completeness. Importances play no part. Not for a flatten head or an
/// explanation without a concept; for a head that is not softmax c_shap_eval_l1_mae, params and
/// flops only.
///
/// Source: see c_shap_eval_surrogate; Kumar and Ahuja, arXiv 2504.10833, Eq. 8 and Table 3.
namespace declare {
std::vector<Metric> c_shap_eval();
}  // namespace declare

}  // namespace conoscope::metrics
