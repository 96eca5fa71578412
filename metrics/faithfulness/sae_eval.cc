#include "metrics/faithfulness/sae_eval.h"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "metrics/catalogue.h"
#include "metrics/faithfulness/affine.h"
#include "metrics/faithfulness/completeness.h"
#include "metrics/faithfulness/explanation.h"
#include "metrics/faithfulness/ice_eval_surrogate.h"
#include "metrics/faithfulness/model_logits.h"
#include "metrics/faithfulness/plausibility.h"
#include "metrics/faithfulness/psi.h"
#include "metrics/faithfulness/reconstruction_error.h"
#include "metrics/faithfulness/softmax_divergence.h"
#include "metrics/faithfulness/surf_surrogate.h"
#include "metrics/score.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

using detail::none, detail::not_applicable, detail::number;

constexpr const char* kError = "sae_reconstruction_error";
constexpr const char* kKl = "sae_downstream_kl";
constexpr const char* kCe = "sae_downstream_ce";
constexpr const char* kPlausibility = "plausibility";
constexpr const char* kCompleteness = "completeness";

template <typename Compute>
Score defined_or_not(const char* name, const Compute& compute) {
  try {
    return compute();
  } catch (const std::domain_error& error) {
    return none(name, "undefined", error.what());
  }
}

double log_probability(const Matrix& logits, Index row, Index c) {
  const double top = logits.row(row).maxCoeff();
  return logits(row, c) - top - std::log((logits.row(row).array() - top).exp().sum());
}

Score rise_of_cross_entropy(const Matrix& model, const Matrix& rebuilt, const IndexVector& labels) {
  numerics::require_labels(kCe, labels, model.rows(), model.cols());
  std::vector<double> rises;
  double sum = 0.0;
  for (Index i = 0; i < model.rows(); ++i) {
    const Index t = labels[static_cast<size_t>(i)];
    rises.push_back(log_probability(model, i, t) - log_probability(rebuilt, i, t));
    sum += rises.back();
  }
  return number(kCe, sum / static_cast<double>(model.rows()), std::move(rises));
}

bool shows_cavs(const HeadView& head, const Explanation& explanation) {
  const Index concepts = explanation.class_agnostic ? explanation.importance_by_output.cols()
                                                    : explanation.importance.size();
  return explanation.cavs.rows() == concepts &&
         (concepts == 0 || explanation.cavs.cols() == head.width());
}

}  // namespace

std::vector<Score> sae_eval(const Views& subject) {
  std::vector<Score> scores;
  if (!subject.head || !subject.explanation) {
    const char* const why = subject.head ? "needs an explanation" : "needs a head view";
    for (const char* name : {kError, kKl, kCe, kPlausibility, kCompleteness})
      scores.push_back(not_applicable(name, why));
    return scores;
  }
  const HeadView& head = *subject.head;
  const Explanation& explanation = *subject.explanation;
  const Matrix model = model_logits(head);
  detail::require_explanation("sae_eval", explanation);
  detail::require_match("sae_eval", head, explanation);
  const bool flatten = head.pooling == Pooling::kFlatten;
  const char* const by_position = "a flatten head has other weights for each position";

  if (flatten) {
    scores.push_back(not_applicable(kError, by_position));
  } else {
    Matrix storage;
    const MatrixRef pooled = detail::pool_positions(head, storage);
    scores.push_back(defined_or_not(
        kError, [&] { return number(kError, reconstruction_error(pooled, explanation)); }));
  }

  const bool labelled = subject.annotations && !subject.annotations->labels.empty();
  const char* const lacking = head.output != Output::kSoftmax ? "the outputs are not a softmax's"
                              : !labelled                     ? "needs annotations.labels"
                                                              : nullptr;
  if (head.output != Output::kSoftmax) {
    scores.push_back(not_applicable(kKl, lacking));
    scores.push_back(not_applicable(kCe, lacking));
  } else {
    const Matrix rebuilt = ice_eval_surrogate(head, explanation);
    SoftmaxDivergence divergence = softmax_divergence(model, rebuilt);
    scores.push_back(number(kKl, divergence.kl, std::move(divergence.kl_rows)));
    scores.push_back(labelled ? rise_of_cross_entropy(model, rebuilt, subject.annotations->labels)
                              : not_applicable(kCe, lacking));
  }

  if (flatten || !shows_cavs(head, explanation))
    scores.push_back(not_applicable(
        kPlausibility,
        flatten ? by_position : "the explanation has no CAV for each of its concepts"));
  else
    scores.push_back(defined_or_not(kPlausibility, [&] {
      const Plausibility result = plausibility(head.weight, explanation);
      Score score =
          number(kPlausibility, result.value, {result.by_output.begin(), result.by_output.end()});
      if (result.skipped > 0)
        score.message = std::to_string(result.skipped) + " outputs left out: their weights are 0";
      return score;
    }));

  if (lacking)
    scores.push_back(not_applicable(kCompleteness, lacking));
  else
    scores.push_back(defined_or_not(kCompleteness, [&] {
      return number(kCompleteness, completeness(model, surf_surrogate(head, explanation),
                                                subject.annotations->labels));
    }));
  return scores;
}

std::vector<Metric> declare::sae_eval() {
  constexpr auto kLower = Direction::kLower, kHigher = Direction::kHigher;
  constexpr std::string_view kAppendix = "as in Kumar and Ahuja, arXiv 2504.10833, App. A";
  const std::vector<std::string_view> views{"head_view", "explanation"};
  const std::vector<std::string_view> labelled{"head_view", "explanation", "labels"};
  return from_pass<metrics::sae_eval>({
      {kError, "sae_eval", "What part of the embeddings is lost on the way through concepts?",
       kLower, 0.0, kUnbounded, "", kAppendix, views},
      {kKl, "sae_eval", "How surprised is the head, fed rebuilt embeddings, by the model?", kLower,
       0.0, kUnbounded, "nats",
       "Gao et al., Scaling and evaluating sparse autoencoders, 2024; as in arXiv 2504.10833, "
       "App. A",
       views},
      {kCe, "sae_eval", "By how much does the loss on the true class rise through rebuilding?",
       kLower, -kUnbounded, kUnbounded, "nats",
       "Gao et al., Scaling and evaluating sparse autoencoders, 2024; as in arXiv 2504.10833, "
       "App. A",
       labelled},
      {kPlausibility, "sae_eval",
       "Is there a concept that points where each class's weights point?", kHigher, -1.0, 1.0, "",
       "Fel et al., Archetypal SAE, 2025; as in arXiv 2504.10833, App. A", views},
      {kCompleteness, "sae_eval",
       "What part of the model's accuracy above chance does the explanation alone keep?", kHigher,
       -kUnbounded, kUnbounded, "",
       "Yeh et al., NeurIPS 2020; as in arXiv 2504.10833, Eq. 8, on its linear surrogate",
       labelled},
  });
}

}  // namespace conoscope::metrics
