#include "metrics/faithfulness/surf/surf.h"

#include <utility>

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

Surrogate weighted_concept_scores(std::string_view group, std::string prefix) {
  return {.group = group,
          .prefix = std::move(prefix),
          .text = "the explanation's surrogate",
          .logits = [](const Subject& subject) -> const Logits& {
            return subject.once(pooled_logits);
          }};
}

std::vector<Metric> declare::surf() {
  const Surrogate pooled = weighted_concept_scores("surf", "surf_");
  Surrogate spatial_mean = pooled;
  spatial_mean.suffix = "_spatial_mean";
  spatial_mean.text = "the explanation's surrogate averaged over positions";
  spatial_mean.logits = spatial_mean_logits;

  std::vector<Metric> metrics;
  for (const Surrogate& surrogate : {pooled, spatial_mean})
    for (const Measure& measure :
         {surf_mae_measure(), surf_emd_measure(), surf_top1_measure(), surf_rank_corr_measure(),
          surf_rank_corr_undefined_measure(), surf_norm_l1_measure(), surf_attr_acc_measure(),
          surf_prob_mae_measure()})
      metrics.push_back(declare_measure(measure, surrogate));
  for (Metric& metric : declare_complexity(pooled, cost)) metrics.push_back(std::move(metric));
  return metrics;
}

}  // namespace conoscope::metrics
