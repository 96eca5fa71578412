#include "metrics/faithfulness/surrogates/ice_eval.h"

#include <utility>

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

Logits logits(const Subject& subject) {
  require_last_layer(subject);
  return ice_eval_surrogate(subject.once(explained_head));
}

}  // namespace

Surrogate rebuilt_embeddings(std::string_view group, std::string prefix) {
  return {.group = group,
          .prefix = std::move(prefix),
          .text = "the head on embeddings rebuilt from concept scores",
          .logits = [](const Subject& subject) -> const Logits& { return subject.once(logits); }};
}

std::vector<Metric> declare::ice_eval() {
  Surrogate rebuilt = rebuilt_embeddings("ice_eval", "ice_eval_");
  rebuilt.source =
      "Zhang et al., Invertible Concept-based Explanations, AAAI 2021; the measures as in arXiv "
      "2504.10833, Table 3";
  std::vector<Metric> metrics;
  for (const Measure& measure :
       {surf_mae_measure(), surf_emd_measure(), surf_top1_measure(), surf_rank_corr_measure(),
        surf_norm_l1_measure(), ice_fidelity_error_measure()})
    metrics.push_back(declare_measure(measure, rebuilt));
  for (Metric& metric : declare_complexity(rebuilt, cost)) metrics.push_back(std::move(metric));
  return metrics;
}

}  // namespace conoscope::metrics
