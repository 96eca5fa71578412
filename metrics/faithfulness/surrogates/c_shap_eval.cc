// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/surrogates/c_shap_eval.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "metrics/faithfulness/explained_head.h"
#include "metrics/faithfulness/logit_row.h"
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

struct Trained {
  Logits logits;
  double dead_units;
};

std::vector<Setting> published() {
  const CShapEvalOptions usual;
  return {{.name = "learning_rate", .number = usual.learning_rate},
          {.name = "epochs", .value = usual.epochs},
          {.name = "batch", .value = usual.batch},
          {.name = "initialisation", .value = 0, .words = {"torch", "uniform"}},
          {.name = "biases", .value = 1, .words = {"false", "true"}}};
}

CShapEvalOptions options_of(const std::vector<Setting>& settings) {
  CShapEvalOptions options;
  options.learning_rate = settings[0].number;
  options.epochs = static_cast<int>(settings[1].value);
  options.batch = settings[2].value;
  options.initialisation =
      settings[3].value == 1 ? CShapInitialisation::kUniform : CShapInitialisation::kTorch;
  options.biases = settings[4].value == 1;
  return options;
}

Trained train(const Subject& subject, CShapLoss loss, const std::vector<Setting>& settings) {
  largest_count(subject);
  CShapEval found =
      c_shap_eval_surrogate(subject.once(explained_train_head), subject.once(explained_head), loss,
                            subject.seed(), options_of(settings));
  return {std::move(found.logits), found.dead_units};
}

Trained train_cel(const Subject& subject, const std::vector<Setting>& settings) {
  require_softmax(subject);
  return train(subject, CShapLoss::kCel, settings);
}

Trained train_l1(const Subject& subject, const std::vector<Setting>& settings) {
  return train(subject, CShapLoss::kL1, settings);
}

Result distinct_predictions(const Logits& model, const Logits& surrogate) {
  detail::require_same_shape("distinct_predictions", model, surrogate);
  const detail::LogitRow row(model.outputs());
  std::set<Index> of_model, of_surrogate;
  for (Index i = 0; i < model.samples(); ++i) {
    of_model.insert(row.argmax(model.row(i)));
    of_surrogate.insert(row.argmax(surrogate.row(i)));
  }
  Result out{static_cast<double>(of_surrogate.size())};
  if (of_surrogate.size() < of_model.size())
    out.caveat = "the model predicts " + std::to_string(of_model.size());
  return out;
}

Measure distinct_predictions_measure() {
  return {.question = "How many classes does {} ever predict?",
          .low = 1.0,
          .unit = "classes",
          .compare = distinct_predictions};
}

template <auto Train>
Metric dead_units(const char* name, const Surrogate& surrogate) {
  return {.name = name,
          .group = surrogate.group,
          .question = "What share of the hidden units of " + surrogate.text + " is never active?",
          .high = 1.0,
          .source = surrogate.source,
          .needs = surrogate.needs,
          .settings = surrogate.settings,
          .compute_with = [](const Subject& subject, const std::vector<Setting>& settings) {
            return Result{subject.once(Train, settings).dead_units};
          }};
}

template <auto Train>
const Logits& logits_of(const Subject& subject, const std::vector<Setting>& settings) {
  return subject.once(Train, settings).logits;
}

Complexity cost(const Subject& subject) {
  return c_shap_complexity(subject.head().outputs(), largest_count(subject), subject.head().width(),
                           CShapEvalOptions().hidden);
}

}  // namespace

std::vector<Metric> declare::c_shap_eval() {
  const Surrogate cel{
      .group = "c_shap_eval",
      .text = "a network trained on concept scores with cross entropy",
      .source =
          "Yeh et al., On Completeness-aware Concept-Based Explanations, NeurIPS 2020; the "
          "measures as in arXiv 2504.10833, Table 3",
      .needs = {"head_view", "train_head_view", "explanation"},
      .logits_with = logits_of<train_cel>,
      .settings = published()};
  Surrogate l1 = cel;
  l1.text = "a network trained on concept scores with an L1 loss on the logits";
  l1.logits_with = logits_of<train_l1>;
  Surrogate either = cel;
  either.text = "a network trained on concept scores";
  return {
      declare_measure("c_shap_eval_cel_mae", surf_mae_measure(), cel),
      declare_measure("c_shap_eval_cel_emd", surf_emd_measure(), cel),
      declare_measure("c_shap_eval_cel_top1", surf_top1_measure(), cel),
      declare_measure("c_shap_eval_cel_rank_corr", surf_rank_corr_measure(), cel),
      declare_measure("c_shap_eval_cel_norm_l1", surf_norm_l1_measure(), cel),
      declare_measure("c_shap_eval_cel_completeness", completeness_measure(), cel),
      declare_measure("c_shap_eval_cel_distinct_predictions", distinct_predictions_measure(), cel),
      dead_units<train_cel>("c_shap_eval_cel_dead_units", cel),
      declare_measure("c_shap_eval_l1_mae", surf_mae_measure(), l1),
      declare_measure("c_shap_eval_l1_emd", surf_emd_measure(), l1),
      declare_measure("c_shap_eval_l1_top1", surf_top1_measure(), l1),
      declare_measure("c_shap_eval_l1_rank_corr", surf_rank_corr_measure(), l1),
      declare_measure("c_shap_eval_l1_norm_l1", surf_norm_l1_measure(), l1),
      declare_measure("c_shap_eval_l1_completeness", completeness_measure(), l1),
      declare_measure("c_shap_eval_l1_distinct_predictions", distinct_predictions_measure(), l1),
      dead_units<train_l1>("c_shap_eval_l1_dead_units", l1),
      declare_params("c_shap_eval_params", either, cost),
      declare_flops("c_shap_eval_flops", either, cost),
  };
}

}  // namespace conoscope::metrics
