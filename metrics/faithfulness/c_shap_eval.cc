#include "metrics/faithfulness/c_shap_eval.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "metrics/catalogue.h"
#include "metrics/faithfulness/completeness.h"
#include "metrics/faithfulness/explanation.h"
#include "metrics/faithfulness/model_logits.h"
#include "metrics/faithfulness/surf_complexity.h"
#include "metrics/faithfulness/surrogate_scores.h"
#include "metrics/score.h"

namespace conoscope::metrics {

namespace {

using detail::none, detail::not_applicable, detail::number;

constexpr const char* kCel = "c_shap_eval_cel";
constexpr const char* kL1 = "c_shap_eval_l1";

void append_nothing(std::vector<Score>& scores, const std::string& prefix,
                    const std::string& reason, const std::string& why) {
  detail::append_no_surrogate_scores(scores, prefix, reason, why);
  scores.push_back(none(prefix + "_completeness", reason, why));
}

Score completeness_score(const std::string& name, const Matrix& model, const Matrix& surrogate,
                         Output output, const Annotations* annotations) {
  if (output != Output::kSoftmax) return not_applicable(name, "the outputs are not a softmax's");
  if (!annotations || annotations->labels.empty())
    return not_applicable(name, "needs annotations.labels");
  try {
    return number(name, completeness(model, surrogate, annotations->labels));
  } catch (const std::domain_error& error) {
    return none(name, "undefined", error.what());
  }
}

// Why none of the group's numbers exists; empty if they do.
std::string obstacle(const Views& subject) {
  if (!subject.head) return "needs a head view";
  if (!subject.train_head) return "needs a head view of the training split";
  if (!subject.explanation) return "needs an explanation";
  if (subject.head->pooling == Pooling::kFlatten)
    return "a flatten head has other weights for each position";
  const IndexVector counts = detail::concepts_per_output(*subject.explanation);
  if (std::all_of(counts.begin(), counts.end(), [](Index count) { return count == 0; }))
    return "the explanation has no concept";
  return "";
}

}  // namespace

std::vector<Score> c_shap_eval(const Views& subject, const CShapEvalOptions& options) {
  std::vector<Score> scores;
  if (const std::string why = obstacle(subject); !why.empty()) {
    append_nothing(scores, kCel, "not_applicable", why);
    append_nothing(scores, kL1, "not_applicable", why);
    for (const char* name : {"c_shap_eval_params", "c_shap_eval_flops"})
      scores.push_back(not_applicable(name, why));
    return scores;
  }
  const HeadView& head = *subject.head;
  const Matrix model = model_logits(head);
  for (const CShapLoss loss : {CShapLoss::kCel, CShapLoss::kL1}) {
    const std::string prefix = loss == CShapLoss::kCel ? kCel : kL1;
    if (loss == CShapLoss::kCel && head.output != Output::kSoftmax) {
      append_nothing(scores, prefix, "not_applicable", "the outputs are not a softmax's");
      continue;
    }
    Matrix surrogate;
    try {
      surrogate = c_shap_eval_surrogate(*subject.train_head, head, *subject.explanation, loss,
                                        subject.seed, options);
    } catch (const std::domain_error& error) {
      append_nothing(scores, prefix, "undefined", error.what());
      continue;
    }
    detail::append_surrogate_scores(scores, prefix, model, surrogate, head.output,
                                    subject.annotations);
    scores.push_back(completeness_score(prefix + "_completeness", model, surrogate, head.output,
                                        subject.annotations));
  }
  const IndexVector counts = detail::concepts_per_output(*subject.explanation);
  const Complexity cost =
      c_shap_complexity(head.outputs(), *std::max_element(counts.begin(), counts.end()),
                        head.width(), options.hidden);
  scores.push_back(number("c_shap_eval_params", static_cast<double>(cost.params)));
  scores.push_back(number("c_shap_eval_flops", static_cast<double>(cost.flops)));
  return scores;
}

namespace {

std::vector<Score> score_c_shap_eval(const Views& subject) { return c_shap_eval(subject); }

}  // namespace

std::vector<Metric> declare::c_shap_eval() {
  constexpr auto kLower = Direction::kLower, kHigher = Direction::kHigher;
  constexpr std::string_view kShap =
      "Yeh et al., On Completeness-aware Concept-Based Explanations, NeurIPS 2020; as in "
      "arXiv 2504.10833, Eq. 7 and 8";
  constexpr std::string_view kBoth =
      "Kumar and Ahuja, arXiv 2504.10833, Table 3: its measures on the surrogate of Yeh et al., "
      "NeurIPS 2020";
  const std::vector<std::string_view> views{"head_view", "train_head_view", "explanation"};
  std::vector<std::string_view> labelled = views;
  labelled.emplace_back("labels");
  return from_pass<score_c_shap_eval>({
      {"c_shap_eval_cel_mae", "c_shap_eval",
       "How far are a network's logits, trained on concept scores by cross entropy?", kLower, 0.0,
       kUnbounded, "logits", kBoth, views},
      {"c_shap_eval_cel_emd", "c_shap_eval",
       "How much probability must move to turn that network's answer into the model's?", kLower,
       0.0, 1.0, "", kBoth, views},
      {"c_shap_eval_cel_top1", "c_shap_eval",
       "How often does that network choose the class that the model chooses?", kHigher, 0.0, 1.0,
       "", kBoth, views},
      {"c_shap_eval_cel_rank_corr", "c_shap_eval",
       "Does that network rank the outputs as the model does?", kHigher, -1.0, 1.0, "", kBoth,
       views},
      {"c_shap_eval_cel_norm_l1", "c_shap_eval",
       "By what fraction is that network off on the true class?", kLower, 0.0, kUnbounded, "",
       kBoth, labelled},
      {"c_shap_eval_cel_completeness", "c_shap_eval",
       "What part of the model's accuracy above chance does that network reach?", kHigher,
       -kUnbounded, kUnbounded, "", kShap, labelled},
      {"c_shap_eval_l1_mae", "c_shap_eval", "c_shap_eval_cel_mae, trained by L1 on the logits",
       kLower, 0.0, kUnbounded, "logits", kBoth, views},
      {"c_shap_eval_l1_emd", "c_shap_eval", "c_shap_eval_cel_emd, trained by L1 on the logits",
       kLower, 0.0, 1.0, "", kBoth, views},
      {"c_shap_eval_l1_top1", "c_shap_eval", "c_shap_eval_cel_top1, trained by L1 on the logits",
       kHigher, 0.0, 1.0, "", kBoth, views},
      {"c_shap_eval_l1_rank_corr", "c_shap_eval",
       "c_shap_eval_cel_rank_corr, trained by L1 on the logits", kHigher, -1.0, 1.0, "", kBoth,
       views},
      {"c_shap_eval_l1_norm_l1", "c_shap_eval",
       "c_shap_eval_cel_norm_l1, trained by L1 on the logits", kLower, 0.0, kUnbounded, "", kBoth,
       labelled},
      {"c_shap_eval_l1_completeness", "c_shap_eval",
       "c_shap_eval_cel_completeness, trained by L1 on the logits", kHigher, -kUnbounded,
       kUnbounded, "", kShap, labelled},
      {"c_shap_eval_params", "c_shap_eval",
       "How many parameters does one network train for its evaluation?", kLower, 0.0, kUnbounded,
       "parameters", kBoth, views},
      {"c_shap_eval_flops", "c_shap_eval",
       "What does the network with the head cost beyond the concept scores?", kLower, 0.0,
       kUnbounded, "FLOP per sample", kBoth, views},
  });
}

}  // namespace conoscope::metrics
