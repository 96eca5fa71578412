// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surrogates/ice_eval.h"

#include "metrics/faithfulness/explained_head.h"
#include "metrics/faithfulness/surf/surf_complexity.h"
#include "metrics/faithfulness/surf/surf_emd.h"
#include "metrics/faithfulness/surf/surf_mae.h"
#include "metrics/faithfulness/surf/surf_norm_l1.h"
#include "metrics/faithfulness/surf/surf_rank_corr.h"
#include "metrics/faithfulness/surf/surf_top1.h"
#include "metrics/faithfulness/surrogates/ice_eval_surrogate.h"
#include "metrics/faithfulness/surrogates/ice_fidelity_error.h"

namespace conoscope::metrics {

namespace {

Complexity cost(const Subject& subject) {
  require_last_layer(subject);
  return ice_complexity(subject.once(explained_head).explanation().concepts(),
                        subject.head().width());
}

Logits computed_pooled_logits(const Subject& subject) {
  require_last_layer(subject);
  return ice_eval_surrogate(subject.once(explained_head));
}

Logits logits_by_position(const Subject& subject) {
  require_last_layer(subject);
  return ice_eval_surrogate(subject.once(explained_head), PositionRule::kSpatialMean);
}

const Logits& pooled_logits(const Subject& subject) { return subject.once(computed_pooled_logits); }

const Logits& spatial_mean_logits(const Subject& subject) {
  require_pooled(subject);
  const Explanation& explanation = subject.explanation();
  const bool linear = explanation.linear() && !explanation.reconstruct;
  return linear || subject.head().positions == 1 ? pooled_logits(subject)
                                                 : subject.once(logits_by_position);
}

}  // namespace

Surrogate rebuilt_embeddings(std::string_view group, PositionRule rule) {
  if (rule == PositionRule::kSpatialMean)
    return {.group = group,
            .text = "the head on positions rebuilt from concept scores and averaged",
            .logits = spatial_mean_logits};
  return {.group = group,
          .text = "the head on embeddings rebuilt from concept scores",
          .logits = pooled_logits};
}

std::vector<Metric> declare::ice_eval() {
  Surrogate pooled = rebuilt_embeddings("ice_eval"),
            spatial_mean = rebuilt_embeddings("ice_eval", PositionRule::kSpatialMean);
  pooled.source = spatial_mean.source =
      "Zhang et al., Invertible Concept-based Explanations, AAAI 2021; the measures as in arXiv "
      "2504.10833, Table 3";
  return {
      declare_measure("ice_eval_mae", surf_mae_measure(), pooled),
      declare_measure("ice_eval_emd", surf_emd_measure(), pooled),
      declare_measure("ice_eval_top1", surf_top1_measure(), pooled),
      declare_measure("ice_eval_rank_corr", surf_rank_corr_measure(), pooled),
      declare_measure("ice_eval_norm_l1", surf_norm_l1_measure(), pooled),
      declare_measure("ice_eval_fidelity_error", ice_fidelity_error_measure(), pooled),
      declare_measure("ice_eval_mae_spatial_mean", surf_mae_measure(), spatial_mean),
      declare_measure("ice_eval_emd_spatial_mean", surf_emd_measure(), spatial_mean),
      declare_measure("ice_eval_top1_spatial_mean", surf_top1_measure(), spatial_mean),
      declare_measure("ice_eval_rank_corr_spatial_mean", surf_rank_corr_measure(), spatial_mean),
      declare_measure("ice_eval_norm_l1_spatial_mean", surf_norm_l1_measure(), spatial_mean),
      declare_measure("ice_eval_fidelity_error_spatial_mean", ice_fidelity_error_measure(),
                      spatial_mean),
      declare_params("ice_eval_params", pooled, cost),
      declare_flops("ice_eval_flops", pooled, cost),
  };
}

}  // namespace conoscope::metrics
