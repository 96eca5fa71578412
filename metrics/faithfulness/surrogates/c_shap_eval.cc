#include "metrics/faithfulness/surrogates/c_shap_eval.h"

#include <algorithm>

#include "metrics/faithfulness/explained_head.h"
#include "metrics/faithfulness/surf/surf_complexity.h"
#include "metrics/faithfulness/surf/surf_emd.h"
#include "metrics/faithfulness/surf/surf_mae.h"
#include "metrics/faithfulness/surf/surf_norm_l1.h"
#include "metrics/faithfulness/surf/surf_rank_corr.h"
#include "metrics/faithfulness/surf/surf_top1.h"
#include "metrics/faithfulness/surrogates/c_shap_eval_surrogate.h"
#include "metrics/faithfulness/surrogates/completeness.h"

namespace conoscope::metrics {

namespace {

/// The largest K_c. throws NotApplicable: there is no network to train.
Index largest_count(const Subject& subject) {
  require_last_layer(subject);
  require_pooled(subject);
  const IndexVector counts = subject.once(explained_head).explanation().concepts();
  const Index most = *std::max_element(counts.begin(), counts.end());
  if (most == 0) throw NotApplicable("the explanation has no concept");
  return most;
}

Logits train(const Subject& subject, CShapLoss loss) {
  largest_count(subject);
  return c_shap_eval_surrogate(subject.once(explained_train_head), subject.once(explained_head),
                               loss, subject.seed());
}

Logits train_cel(const Subject& subject) {
  require_softmax(subject);
  return train(subject, CShapLoss::kCel);
}

Logits train_l1(const Subject& subject) { return train(subject, CShapLoss::kL1); }

Complexity cost(const Subject& subject) {
  return c_shap_complexity(subject.head().outputs(), largest_count(subject), subject.head().width(),
                           CShapEvalOptions().hidden);
}

}  // namespace

std::vector<Metric> declare::c_shap_eval() {
  const Surrogate cel{
      .group = "c_shap_eval",
      .prefix = "c_shap_eval_cel_",
      .text = "a network trained on concept scores with cross entropy",
      .source =
          "Yeh et al., On Completeness-aware Concept-Based Explanations, NeurIPS 2020; the "
          "measures as in arXiv 2504.10833, Table 3",
      .needs = {"head_view", "train_head_view", "explanation"},
      .logits = [](const Subject& subject) -> const Logits& { return subject.once(train_cel); }};
  Surrogate l1 = cel;
  l1.prefix = "c_shap_eval_l1_";
  l1.text = "a network trained on concept scores with an L1 loss on the logits";
  l1.logits = [](const Subject& subject) -> const Logits& { return subject.once(train_l1); };
  Surrogate either = cel;
  either.prefix = "c_shap_eval_";
  either.text = "a network trained on concept scores";

  std::vector<Metric> metrics;
  for (const Surrogate& network : {cel, l1})
    for (const Measure& measure :
         {surf_mae_measure(), surf_emd_measure(), surf_top1_measure(), surf_rank_corr_measure(),
          surf_norm_l1_measure(), completeness_measure()})
      metrics.push_back(declare_measure(measure, network));
  for (Metric& metric : declare_complexity(either, cost)) metrics.push_back(std::move(metric));
  return metrics;
}

}  // namespace conoscope::metrics
