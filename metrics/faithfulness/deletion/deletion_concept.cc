// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/deletion/deletion_concept.h"

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "metrics/faithfulness/explained_head.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "deletion_concept";

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
    const auto logit = [&](const IndexVector&, const MatrixRef& left) -> Vector {
      return (of.reconstruct(c, left) * head.weight.row(c).transpose()).array() + head.bias(c);
    };
    mean.add(deletion_concept(scores, importance, logit).auc, scores.rows());
  }
  return {mean.value()};
}

Vector ask(const RowAnswer& answer, const IndexVector& samples, const MatrixRef& scores) {
  const Vector values = answer(samples, scores);
  if (values.size() != scores.rows())
    numerics::refuse(kName, std::to_string(values.size()) + " answers for " +
                                std::to_string(scores.rows()) + " rows of scores");
  for (const double value : values)
    if (!std::isfinite(value)) numerics::refuse(kName, "the answer is " + std::to_string(value));
  return values;
}

/// What a few steps change: their rows are asked for together, since a call can cost more than rows.
struct Changes {
  IndexVector samples;         ///< step after step
  std::vector<double> scores;  ///< of these samples, K each
  std::vector<size_t> ends;    ///< of each step's samples
};

/// Deletes in `left` from order[step] on.
Changes next_changes(Matrix& left, const IndexVector& order, size_t step) {
  constexpr size_t kEnough = 256;
  Changes changes;
  for (; step < order.size() && changes.samples.size() < kEnough; ++step) {
    for (Index i = 0; i < left.rows(); ++i) {
      if (left(i, order[step]) == 0.0) continue;
      left(i, order[step]) = 0.0;
      changes.samples.push_back(i);
      changes.scores.insert(changes.scores.end(), left.row(i).begin(), left.row(i).end());
    }
    changes.ends.push_back(changes.samples.size());
  }
  return changes;
}

}  // namespace

DeletionCurve deletion_concept(const MatrixRef& scores, const VectorRef& importance,
                               const RowAnswer& answer) {
  if (scores.rows() < 1 || scores.cols() < 1 || importance.size() != scores.cols())
    numerics::refuse(kName, "scores is " + numerics::shape_of(scores) + " with " +
                                std::to_string(importance.size()) + " importances");
  numerics::require_finite(kName, "scores", scores);
  DeletionCurve curve;
  curve.order = deletion_order(importance);
  IndexVector all(static_cast<size_t>(scores.rows()));
  std::iota(all.begin(), all.end(), Index{0});
  Matrix left = scores;
  Vector answers = ask(answer, all, left);
  curve.values.push_back(answers.mean());
  while (curve.values.size() <= curve.order.size()) {
    const Changes changes = next_changes(left, curve.order, curve.values.size() - 1);
    const auto count = static_cast<Index>(changes.samples.size());
    const Eigen::Map<const Matrix> rows(changes.scores.data(), count, scores.cols());
    const Vector changed = count > 0 ? ask(answer, changes.samples, rows) : Vector();
    Index row = 0;
    for (const size_t end : changes.ends) {
      for (; row < static_cast<Index>(end); ++row)
        answers(changes.samples[static_cast<size_t>(row)]) = changed(row);
      curve.values.push_back(answers.mean());
    }
  }
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
