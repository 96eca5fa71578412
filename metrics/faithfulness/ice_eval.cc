#include "metrics/faithfulness/ice_eval.h"

#include <string>
#include <utility>

#include "metrics/catalogue.h"
#include "metrics/faithfulness/explanation.h"
#include "metrics/faithfulness/ice_eval_surrogate.h"
#include "metrics/faithfulness/ice_fidelity_error.h"
#include "metrics/faithfulness/model_logits.h"
#include "metrics/faithfulness/surf_complexity.h"
#include "metrics/faithfulness/surrogate_scores.h"
#include "metrics/score.h"

namespace conoscope::metrics {

namespace {

using detail::not_applicable, detail::number;

constexpr const char* kFidelity = "ice_eval_fidelity_error";

Score fidelity_score(const Matrix& model, const Matrix& surrogate, const HeadView& head,
                     const Annotations* annotations) {
  if (head.output != Output::kSoftmax)
    return not_applicable(kFidelity, "the outputs are not a softmax's");
  if (!annotations || annotations->labels.empty())
    return not_applicable(kFidelity, "needs annotations.labels");
  double sum = 0.0;
  std::vector<double> seen;
  for (const double error : ice_fidelity_error(model, surrogate, annotations->labels)) {
    if (error < 0.0) continue;
    sum += error;
    seen.push_back(error);
  }
  const double mean = sum / static_cast<double>(seen.size());
  return number(kFidelity, mean, std::move(seen));
}

}  // namespace

std::vector<Score> ice_eval(const Views& subject) {
  std::vector<Score> scores;
  if (!subject.head || !subject.explanation) {
    const std::string why = subject.head ? "needs an explanation" : "needs a head view";
    detail::append_no_surrogate_scores(scores, "ice_eval", "not_applicable", why);
    for (const char* name : {kFidelity, "ice_eval_params", "ice_eval_flops"})
      scores.push_back(not_applicable(name, why));
    return scores;
  }
  const HeadView& head = *subject.head;
  const Matrix model = model_logits(head);
  const Matrix surrogate = ice_eval_surrogate(head, *subject.explanation);
  detail::append_surrogate_scores(scores, "ice_eval", model, surrogate, head.output,
                                  subject.annotations);
  scores.push_back(fidelity_score(model, surrogate, head, subject.annotations));
  const Complexity cost =
      ice_complexity(detail::concepts_per_output(*subject.explanation), head.width());
  scores.push_back(number("ice_eval_params", static_cast<double>(cost.params)));
  scores.push_back(number("ice_eval_flops", static_cast<double>(cost.flops)));
  return scores;
}

std::vector<Metric> declare::ice_eval() {
  constexpr auto kLower = Direction::kLower, kHigher = Direction::kHigher;
  constexpr std::string_view kIce =
      "Zhang et al., Invertible Concept-based Explanations, AAAI 2021; as in arXiv 2504.10833";
  constexpr std::string_view kBoth =
      "Kumar and Ahuja, arXiv 2504.10833, Table 3: its measures on the surrogate of Zhang et al., "
      "AAAI 2021";
  const std::vector<std::string_view> views{"head_view", "explanation"};
  const std::vector<std::string_view> labelled{"head_view", "explanation", "labels"};
  return from_pass<metrics::ice_eval>({
      {"ice_eval_mae", "ice_eval",
       "How far are the logits of embeddings rebuilt from each class's concepts?", kLower, 0.0,
       kUnbounded, "logits", kBoth, views},
      {"ice_eval_emd", "ice_eval", "How much probability must move to make up for rebuilding?",
       kLower, 0.0, 1.0, "", kBoth, views},
      {"ice_eval_top1", "ice_eval",
       "How often do rebuilt embeddings give the class that the model chooses?", kHigher, 0.0, 1.0,
       "", kIce, views},
      {"ice_eval_rank_corr", "ice_eval", "Are the outputs still ranked as the model does?", kHigher,
       -1.0, 1.0, "", kBoth, views},
      {"ice_eval_norm_l1", "ice_eval",
       "By what fraction is the true class's logit off after rebuilding?", kLower, 0.0, kUnbounded,
       "", kIce, labelled},
      {"ice_eval_fidelity_error", "ice_eval",
       "The same with one denominator for each class, as ICE's published code has it", kLower, 0.0,
       kUnbounded, "", kIce, labelled},
      {"ice_eval_params", "ice_eval",
       "How many parameters does the surrogate train for its evaluation?", kLower, 0.0, kUnbounded,
       "parameters", kBoth, views},
      {"ice_eval_flops", "ice_eval", "What does rebuilding cost beyond the concept scores?", kLower,
       0.0, kUnbounded, "FLOP per sample", kBoth, views},
  });
}

}  // namespace conoscope::metrics
