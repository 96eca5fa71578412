// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf.h"

#include "metrics/faithfulness/explained_head.h"
#include "metrics/faithfulness/measure.h"
#include "metrics/faithfulness/surf/surf_attr_acc.h"
#include "metrics/faithfulness/surf/surf_complexity.h"
#include "metrics/faithfulness/surf/surf_emd.h"
#include "metrics/faithfulness/surf/surf_mae.h"
#include "metrics/faithfulness/surf/surf_norm_l1.h"
#include "metrics/faithfulness/surf/surf_prob_mae.h"
#include "metrics/faithfulness/surf/surf_rank_corr.h"
#include "metrics/faithfulness/surf/surf_surrogate.h"
#include "metrics/faithfulness/surf/surf_top1.h"

namespace conoscope::metrics {

namespace {

Logits pooled_logits(const Subject& subject) {
  return surf_surrogate(subject.once(explained_head));
}

Logits logits_by_position(const Subject& subject) {
  return surf_surrogate(subject.once(explained_head), PositionRule::kSpatialMean);
}

const Logits& spatial_mean_logits(const Subject& subject) {
  const HeadView& head = subject.head();
  if (head.pooling == Pooling::kFlatten) throw NotApplicable("a flatten head sums over positions");
  // A mean and a linear psi commute.
  return subject.explanation().linear() || head.positions == 1 ? subject.once(pooled_logits)
                                                               : subject.once(logits_by_position);
}

Complexity cost(const Subject& subject) {
  return surf_complexity(subject.once(explained_head).explanation().concepts());
}

}  // namespace

Surrogate weighted_concept_scores(std::string_view group) {
  return {.group = group,
          .text = "the explanation's surrogate",
          .logits = [](const Subject& subject) -> const Logits& {
            return subject.once(pooled_logits);
          }};
}

std::vector<Metric> declare::surf() {
  const Surrogate pooled = weighted_concept_scores("surf");
  Surrogate spatial_mean = pooled;
  spatial_mean.text = "the explanation's surrogate averaged over positions";
  spatial_mean.logits = spatial_mean_logits;
  return {
      declare_measure("surf_mae", surf_mae_measure(), pooled),
      declare_measure("surf_emd", surf_emd_measure(), pooled),
      declare_measure("surf_top1", surf_top1_measure(), pooled),
      declare_measure("surf_rank_corr", surf_rank_corr_measure(), pooled),
      declare_measure("surf_rank_corr_undefined", surf_rank_corr_undefined_measure(), pooled),
      declare_measure("surf_norm_l1", surf_norm_l1_measure(), pooled),
      declare_measure("surf_attr_acc", surf_attr_acc_measure(), pooled),
      declare_measure("surf_prob_mae", surf_prob_mae_measure(), pooled),
      declare_measure("surf_mae_spatial_mean", surf_mae_measure(), spatial_mean),
      declare_measure("surf_emd_spatial_mean", surf_emd_measure(), spatial_mean),
      declare_measure("surf_top1_spatial_mean", surf_top1_measure(), spatial_mean),
      declare_measure("surf_rank_corr_spatial_mean", surf_rank_corr_measure(), spatial_mean),
      declare_measure("surf_rank_corr_undefined_spatial_mean", surf_rank_corr_undefined_measure(),
                      spatial_mean),
      declare_measure("surf_norm_l1_spatial_mean", surf_norm_l1_measure(), spatial_mean),
      declare_measure("surf_attr_acc_spatial_mean", surf_attr_acc_measure(), spatial_mean),
      declare_measure("surf_prob_mae_spatial_mean", surf_prob_mae_measure(), spatial_mean),
      declare_params("surf_params", pooled, cost),
      declare_flops("surf_flops", pooled, cost),
  };
}

}  // namespace conoscope::metrics
