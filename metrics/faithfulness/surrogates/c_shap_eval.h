// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "metrics/metric.h"

namespace conoscope::metrics {

/// How much of the model can a network make of the concept scores? The group `c_shap_eval`:
///
///   c_shap_eval_cel_mae  c_shap_eval_cel_emd  c_shap_eval_cel_top1  c_shap_eval_cel_rank_corr
///   c_shap_eval_cel_norm_l1  c_shap_eval_cel_completeness
///   c_shap_eval_l1_mae  c_shap_eval_l1_emd  c_shap_eval_l1_top1  c_shap_eval_l1_rank_corr
///   c_shap_eval_l1_norm_l1  c_shap_eval_l1_completeness
///   c_shap_eval_cel_distinct_predictions  c_shap_eval_cel_dead_units
///   c_shap_eval_l1_distinct_predictions  c_shap_eval_l1_dead_units
///   c_shap_eval_params  c_shap_eval_flops
///
/// Trains the network of c_shap_eval_surrogate once with each loss, from the same initial weights.
/// C-SHAP's own measure is completeness. How many classes the network ever predicts, and what share of
/// its hidden units is never active, tell whether training collapsed; see constant_surrogate.
/// Importances play no part. Not for a flatten head or an explanation without a concept; for a head
/// that is not softmax c_shap_eval_l1_mae, params and flops only.
///
/// A name may set how the network is trained, all but params and flops: learning_rate, epochs, batch,
/// initialisation (torch or uniform, see CShapInitialisation) and biases (true or false).
///
/// Source: see c_shap_eval_surrogate; Kumar and Ahuja, arXiv 2504.10833, Eq. 8 and Table 3.
namespace declare {
std::vector<Metric> c_shap_eval();
}  // namespace declare

}  // namespace conoscope::metrics
