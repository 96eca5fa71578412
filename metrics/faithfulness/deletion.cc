#include "metrics/faithfulness/deletion.h"

#include <numeric>
#include <string>

#include "metrics/catalogue.h"
#include "metrics/faithfulness/affine.h"
#include "metrics/faithfulness/class_assignment.h"
#include "metrics/faithfulness/deletion_concept.h"
#include "metrics/faithfulness/deletion_parts.h"
#include "metrics/faithfulness/deletion_weight.h"
#include "metrics/faithfulness/explanation.h"
#include "metrics/faithfulness/model_logits.h"
#include "metrics/faithfulness/psi.h"
#include "metrics/score.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

using detail::none, detail::not_applicable, detail::number;

constexpr const char* kName = "deletion";
constexpr const char* kConcept = "deletion_concept_auc";
constexpr const char* kWeight = "deletion_weight_auc";
constexpr const char* kPosition = "deletion_position_auc";
constexpr const char* kLost = "deletion_position_classes_lost";

// A mean over samples, of areas that are known class by class.
struct Mean {
  double sum = 0.0, weight = 0.0;
  void add(double value, size_t samples) {
    sum += value * static_cast<double>(samples);
    weight += static_cast<double>(samples);
  }
  Score score(const char* name) const {
    if (weight == 0.0) return none(name, "undefined", "no class has both a concept and a sample");
    return number(name, sum / weight);
  }
};

Matrix take(const MatrixRef& rows, const IndexVector& which) {
  Matrix out(static_cast<Index>(which.size()), rows.cols());
  for (size_t i = 0; i < which.size(); ++i) out.row(static_cast<Index>(i)) = rows.row(which[i]);
  return out;
}

Score concept_score(const HeadView& head, const Explanation& explanation, const MatrixRef& pooled,
                    const std::vector<IndexVector>& members) {
  Mean mean;
  for (Index c = 0; c < head.outputs(); ++c) {
    const IndexVector& samples = members[static_cast<size_t>(c)];
    const Vector importance = detail::importance_of(explanation, c);
    if (samples.empty() || importance.size() == 0) continue;
    const Matrix scores = detail::project(kName, explanation, c, take(pooled, samples));
    const auto mean_logit = [&](const MatrixRef& left) {
      const Matrix rebuilt = detail::reconstruct(kName, explanation, c, left, head.width());
      return rebuilt.colwise().mean().dot(head.weight.row(c)) + head.bias(c);
    };
    mean.add(deletion_concept(scores, importance, mean_logit).auc, samples.size());
  }
  return mean.score(kConcept);
}

Score weight_score(const HeadView& head, const Explanation& explanation, const MatrixRef& pooled,
                   const std::vector<IndexVector>& labelled) {
  const Index concepts = explanation.class_agnostic ? explanation.importance_by_output.cols()
                                                    : explanation.importance.size();
  if (explanation.cavs.rows() != concepts || explanation.cavs.cols() != head.width())
    return not_applicable(kWeight, "the explanation has no CAV for each of its concepts");
  Mean mean;
  for (Index c = 0; c < head.outputs(); ++c) {
    const IndexVector& samples = labelled[static_cast<size_t>(c)];
    const MatrixRef cavs = detail::cavs_of(kName, explanation, c);
    if (samples.empty() || cavs.rows() == 0) continue;
    const DeletionCurve curve =
        deletion_weight(take(pooled, samples), head.weight, head.bias, cavs,
                        detail::importance_of(explanation, c), IndexVector(samples.size(), c));
    mean.add(curve.auc, samples.size());
  }
  return mean.score(kWeight);
}

void append_position_scores(std::vector<Score>& scores, const HeadView& head,
                            const Explanation& explanation,
                            const std::vector<IndexVector>& labelled) {
  const Index positions = head.positions, width = head.width();
  const Eigen::Map<const Matrix> samples_as_rows(head.activations.data(), head.samples(),
                                                 positions * width);
  const Vector fill = head.activations.colwise().mean().transpose();
  const auto model = [&](const MatrixRef& inputs) -> Matrix {
    HeadView left = {};
    left.activations = Eigen::Map<const Matrix>(inputs.data(), inputs.rows() * positions, width);
    left.positions = positions;
    left.weight = head.weight;
    left.bias = head.bias;
    left.pooling = head.pooling;
    return model_logits(left);
  };
  Mean mean;
  double lost = 0.0;
  for (Index c = 0; c < head.outputs(); ++c) {
    const IndexVector& samples = labelled[static_cast<size_t>(c)];
    const Vector importance = detail::importance_of(explanation, c);
    if (samples.empty() || importance.size() == 0) continue;
    const Matrix inputs = take(samples_as_rows, samples);
    const Matrix psi =
        detail::project(kName, explanation, c,
                        Eigen::Map<const Matrix>(inputs.data(), inputs.rows() * positions, width));
    const PartDeletion curve =
        deletion_parts(inputs, class_assignment(psi).predictions, deletion_order(importance), fill,
                       IndexVector(samples.size(), c), model);
    mean.add(deletion_auc(curve.accuracy), samples.size());
    lost += static_cast<double>(
                std::accumulate(curve.classes_lost.begin(), curve.classes_lost.end(), Index{0})) /
            static_cast<double>(importance.size());
  }
  scores.push_back(mean.score(kPosition));
  scores.push_back(mean.weight == 0.0 ? mean.score(kLost) : number(kLost, lost));
}

}  // namespace

std::vector<Score> deletion(const Views& subject) {
  const char* const why = !subject.head          ? "needs a head view"
                          : !subject.explanation ? "needs an explanation"
                          : subject.head->output != Output::kSoftmax
                              ? "the outputs are not a softmax's"
                          : subject.head->pooling == Pooling::kFlatten
                              ? "a flatten head has other weights for each position"
                              : nullptr;
  std::vector<Score> scores;
  if (why) {
    for (const char* name : {kConcept, kWeight, kPosition, kLost})
      scores.push_back(not_applicable(name, why));
    return scores;
  }
  const HeadView& head = *subject.head;
  const Explanation& explanation = *subject.explanation;
  const Matrix model = model_logits(head);  // checks the head
  detail::require_explanation(kName, explanation);
  detail::require_match(kName, head, explanation);
  Matrix storage;
  const MatrixRef pooled = detail::pool_positions(head, storage);
  scores.push_back(concept_score(head, explanation, pooled, class_assignment(model).members));

  if (!subject.annotations || subject.annotations->labels.empty()) {
    for (const char* name : {kWeight, kPosition, kLost})
      scores.push_back(not_applicable(name, "needs annotations.labels"));
    return scores;
  }
  const IndexVector& labels = subject.annotations->labels;
  numerics::require_labels(kName, labels, head.samples(), head.outputs());
  std::vector<IndexVector> labelled(static_cast<size_t>(head.outputs()));
  for (size_t i = 0; i < labels.size(); ++i)
    labelled[static_cast<size_t>(labels[i])].push_back(static_cast<Index>(i));
  scores.push_back(weight_score(head, explanation, pooled, labelled));
  if (head.positions == 1) {
    for (const char* name : {kPosition, kLost})
      scores.push_back(not_applicable(name, "there is one position only"));
    return scores;
  }
  append_position_scores(scores, head, explanation, labelled);
  return scores;
}

std::vector<Metric> declare::deletion() {
  const std::vector<std::string_view> views{"head_view", "explanation"};
  const std::vector<std::string_view> labelled{"head_view", "explanation", "labels"};
  return from_pass<metrics::deletion>({
      {kConcept, "deletion",
       "Proxy: how much class logit is left as concept scores are zeroed? (0 need not delete a "
       "concept; off the data manifold)",
       Direction::kLower, -kUnbounded, kUnbounded, "logits",
       "Fel et al., CRAFT, CVPR 2023; objections: arXiv 2504.10833, Sec. 4.1", views},
      {kWeight, "deletion",
       "Proxy: how accurate is the head as CAVs are projected out of it? (touches other "
       "concepts too; off the data manifold)",
       Direction::kLower, 0.0, 1.0, "",
       "Graziani et al., CDISCO (M2), 2023; objections: arXiv 2504.10833, Sec. 4.1", labelled},
      {kPosition, "deletion",
       "Proxy: how accurate is the model as a concept's positions are replaced by the mean? (a "
       "mean need not delete it; off the data manifold)",
       Direction::kLower, 0.0, 1.0, "",
       "Ghorbani et al., ACE, NeurIPS 2019, on embeddings in place of pixels; objections: "
       "arXiv 2504.10833, Sec. 4.1",
       labelled},
      {kLost, "deletion",
       "Proxy: how many classes lose over 80 % of their accuracy by that? (a mean need not "
       "delete a concept; off the data manifold)",
       Direction::kHigher, 0.0, kUnbounded, "classes",
       "Graziani et al., CDISCO (M1), 2023, on embeddings in place of pixels; objections: "
       "arXiv 2504.10833, Sec. 4.1",
       labelled},
  });
}

}  // namespace conoscope::metrics
