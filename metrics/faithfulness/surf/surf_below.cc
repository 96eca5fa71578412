#include "metrics/faithfulness/surf/surf_below.h"

#include <utility>

#include "metrics/faithfulness/measure.h"
#include "metrics/faithfulness/surf/surf_attr_acc.h"
#include "metrics/faithfulness/surf/surf_emd.h"
#include "metrics/faithfulness/surf/surf_mae.h"
#include "metrics/faithfulness/surf/surf_prob_mae.h"
#include "metrics/faithfulness/surf/surf_rank_corr.h"
#include "metrics/faithfulness/surf/surf_through_surrogate.h"
#include "metrics/faithfulness/surf/surf_top1.h"

namespace conoscope::metrics {

namespace {

void require_layer_below(const Subject& subject) {
  if (subject.head().last_layer())
    throw NotApplicable("the layer is the last one, where this is what surf_* says");
}

SurfClaim claim(const Subject& subject) { return SurfClaim(subject.once(explained_head)); }

Logits through(const Subject& subject) {
  require_layer_below(subject);
  return surf_through_surrogate(subject.once(claim), subject.above());
}

Logits local(const Subject& subject) {
  require_layer_below(subject);
  if (!subject.above().vjp) throw NotApplicable("the model gives no derivatives (vjp)");
  return surf_local_surrogate(subject.once(claim), subject.above());
}

}  // namespace

std::vector<Metric> declare::surf_below() {
  constexpr const char* kSource =
      "ours, after Kumar and Ahuja, arXiv 2504.10833, who study the last layer alone";
  const std::vector<std::string_view> needs = {"head_view", "explanation", "head"};
  const Surrogate exact{
      .group = "surf_below",
      .prefix = "surf_through_",
      .text = "the network above a layer moved to match the explanation",
      .source = kSource,
      .needs = needs,
      .logits = [](const Subject& subject) -> const Logits& { return subject.once(through); }};
  Surrogate linearised = exact;
  linearised.prefix = "surf_local_";
  linearised.text =
      "the network, linearised at each sample, above a layer moved to match the explanation";
  linearised.logits = [](const Subject& subject) -> const Logits& { return subject.once(local); };

  std::vector<Metric> metrics;
  for (const Surrogate& surrogate : {exact, linearised})
    for (const Measure& measure :
         {surf_mae_measure(), surf_emd_measure(), surf_top1_measure(), surf_rank_corr_measure(),
          surf_attr_acc_measure(), surf_prob_mae_measure()})
      metrics.push_back(declare_measure(measure, surrogate));
  return metrics;
}

}  // namespace conoscope::metrics
