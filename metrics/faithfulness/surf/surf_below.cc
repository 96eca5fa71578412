// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surf/surf_below.h"

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
      .text = "the network above a layer moved to match the explanation",
      .source = kSource,
      .needs = needs,
      .logits = [](const Subject& subject) -> const Logits& { return subject.once(through); }};
  Surrogate linearised = exact;
  linearised.text =
      "the network, linearised at each sample, above a layer moved to match the explanation";
  linearised.logits = [](const Subject& subject) -> const Logits& { return subject.once(local); };
  return {
      declare_measure("surf_through_mae", surf_mae_measure(), exact),
      declare_measure("surf_through_emd", surf_emd_measure(), exact),
      declare_measure("surf_through_top1", surf_top1_measure(), exact),
      declare_measure("surf_through_rank_corr", surf_rank_corr_measure(), exact),
      declare_measure("surf_through_attr_acc", surf_attr_acc_measure(), exact),
      declare_measure("surf_through_prob_mae", surf_prob_mae_measure(), exact),
      declare_measure("surf_local_mae", surf_mae_measure(), linearised),
      declare_measure("surf_local_emd", surf_emd_measure(), linearised),
      declare_measure("surf_local_top1", surf_top1_measure(), linearised),
      declare_measure("surf_local_rank_corr", surf_rank_corr_measure(), linearised),
      declare_measure("surf_local_attr_acc", surf_attr_acc_measure(), linearised),
      declare_measure("surf_local_prob_mae", surf_prob_mae_measure(), linearised),
  };
}

}  // namespace conoscope::metrics
