#include "metrics/faithfulness/deletion/deletion_concept.h"

#include <cmath>
#include <string>

#include "metrics/faithfulness/explained_head.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

Result of_subject(const Subject& subject) {
  require_pooled_softmax(subject);
  const ExplainedHead& of = subject.once(explained_head);
  const HeadView& head = of.head();
  const std::vector<IndexVector>& members = subject.once(predicted_members);
  MeanOverClasses mean;
  for (Index c = 0; c < head.outputs(); ++c) {
    const IndexVector& samples = members[static_cast<size_t>(c)];
    const Vector importance = of.explanation().importance(c);
    if (samples.empty() || importance.size() == 0) continue;
    const Matrix scores = of.project(c, rows_at(of.pooled(), samples));
    const auto mean_logit = [&](const MatrixRef& left) {
      return of.reconstruct(c, left).colwise().mean().dot(head.weight.row(c)) + head.bias(c);
    };
    mean.add(deletion_concept(scores, importance, mean_logit).auc, scores.rows());
  }
  return {mean.value()};
}

}  // namespace

DeletionCurve deletion_concept(const MatrixRef& scores, const VectorRef& importance,
                               const std::function<double(const MatrixRef& scores)>& answer) {
  constexpr const char* kName = "deletion_concept";
  if (scores.rows() < 1 || scores.cols() < 1 || importance.size() != scores.cols())
    numerics::refuse(kName, "scores is " + numerics::shape_of(scores) + " with " +
                                std::to_string(importance.size()) + " importances");
  numerics::require_finite(kName, "scores", scores);
  DeletionCurve curve;
  curve.order = deletion_order(importance);
  Matrix left = scores;
  curve.values.push_back(answer(left));
  for (const Index k : curve.order) {
    left.col(k).setZero();
    curve.values.push_back(answer(left));
  }
  for (const double value : curve.values)
    if (!std::isfinite(value)) numerics::refuse(kName, "the answer is " + std::to_string(value));
  curve.auc = deletion_auc(curve.values);
  return curve;
}

std::vector<Metric> declare::deletion_concept() {
  return {{.name = "deletion_concept_auc",
           .group = "deletion",
           .question = "Proxy: how much of the class's logit is left as concept scores are set to "
                       "0? (this need not delete a concept, and may leave the data manifold)",
           .direction = Direction::kLower,
           .low = -kUnbounded,
           .unit = "logits",
           .source = "Fel et al., CRAFT, CVPR 2023; objections: arXiv 2504.10833, Sec. 4.1",
           .needs = {"head_view", "explanation"},
           .compute = of_subject}};
}

}  // namespace conoscope::metrics
