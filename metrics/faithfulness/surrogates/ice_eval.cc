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

Logits logits(const Subject& subject) {
  require_last_layer(subject);
  return ice_eval_surrogate(subject.once(explained_head));
}

}  // namespace

Surrogate rebuilt_embeddings(std::string_view group) {
  return {.group = group,
          .text = "the head on embeddings rebuilt from concept scores",
          .logits = [](const Subject& subject) -> const Logits& { return subject.once(logits); }};
}

std::vector<Metric> declare::ice_eval() {
  Surrogate rebuilt = rebuilt_embeddings("ice_eval");
  rebuilt.source =
      "Zhang et al., Invertible Concept-based Explanations, AAAI 2021; the measures as in arXiv "
      "2504.10833, Table 3";
  return {
      declare_measure("ice_eval_mae", surf_mae_measure(), rebuilt),
      declare_measure("ice_eval_emd", surf_emd_measure(), rebuilt),
      declare_measure("ice_eval_top1", surf_top1_measure(), rebuilt),
      declare_measure("ice_eval_rank_corr", surf_rank_corr_measure(), rebuilt),
      declare_measure("ice_eval_norm_l1", surf_norm_l1_measure(), rebuilt),
      declare_measure("ice_eval_fidelity_error", ice_fidelity_error_measure(), rebuilt),
      declare_params("ice_eval_params", rebuilt, cost),
      declare_flops("ice_eval_flops", rebuilt, cost),
  };
}

}  // namespace conoscope::metrics
