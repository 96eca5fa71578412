// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/deletion/deletion_weight.h"

#include <string>

#include "metrics/faithfulness/explained_head.h"
#include "metrics/faithfulness/model_logits.h"
#include "metrics/faithfulness/surrogates/completeness.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

Result of_subject(const Subject& subject) {
  require_pooled_softmax(subject);
  const ExplainedHead& of = subject.once(explained_head);
  const HeadView& head = of.head();
  if (!of.explanation().shows_cavs() || of.explanation()->cavs.cols() != head.width())
    throw NotApplicable("the explanation has no CAV for each of its concepts");
  const std::vector<IndexVector>& labelled = subject.once(labelled_members);
  MeanOverClasses mean;
  for (Index c = 0; c < head.outputs(); ++c) {
    const IndexVector& samples = labelled[static_cast<size_t>(c)];
    const MatrixRef cavs = of.explanation().cavs(c);
    if (samples.empty() || cavs.rows() == 0) continue;
    const DeletionCurve curve =
        deletion_weight(rows_at(of.pooled(), samples), head.weight, head.bias, cavs,
                        of.explanation().importance(c), IndexVector(samples.size(), c));
    mean.add(curve.auc, static_cast<Index>(samples.size()));
  }
  return {mean.value()};
}

}  // namespace

DeletionCurve deletion_weight(const MatrixRef& rows, const MatrixRef& weight, const VectorRef& bias,
                              const MatrixRef& cavs, const VectorRef& importance,
                              const IndexVector& labels) {
  constexpr const char* kName = "deletion_weight";
  constexpr double kSameSpan = 1e-10;
  if (cavs.rows() < 1 || cavs.cols() != weight.cols() || importance.size() != cavs.rows())
    numerics::refuse(kName, "cavs is " + numerics::shape_of(cavs) + " with " +
                                std::to_string(importance.size()) + " importances; the head is " +
                                std::to_string(weight.cols()) + " wide");
  numerics::require_finite(kName, "cavs", cavs);
  DeletionCurve curve;
  curve.order = deletion_order(importance);
  Matrix left = weight;
  curve.values.push_back(accuracy(model_logits(rows, left, bias), labels));
  Matrix basis(cavs.rows(), cavs.cols());  // orthonormal rows, `rank` of them
  Index rank = 0;
  for (const Index k : curve.order) {
    Eigen::RowVectorXd direction = cavs.row(k);
    const double length = direction.norm();
    // Twice: after one pass of Gram-Schmidt nearly parallel CAVs leave a remainder in the span.
    const auto before = basis.topRows(rank);
    for (int pass = 0; pass < 2; ++pass) direction -= direction * before.transpose() * before;
    if (direction.norm() > kSameSpan * length) {
      direction.normalize();
      basis.row(rank++) = direction;
      const Vector along = left * direction.transpose();
      left -= along * direction;
    }
    curve.values.push_back(accuracy(model_logits(rows, left, bias), labels));
  }
  curve.auc = deletion_auc(curve.values);
  return curve;
}

std::vector<Metric> declare::deletion_weight() {
  return {{.name = "deletion_weight_auc",
           .group = "deletion",
           .question = "Proxy: how accurate is the head as CAVs are projected out of it? (this "
                       "touches other concepts too, and may leave the data manifold)",
           .direction = Direction::kLower,
           .high = 1.0,
           .source = "Graziani et al., CDISCO (M2), 2023; objections: arXiv 2504.10833, Sec. 4.1",
           .needs = {"head_view", "explanation", "labels"},
           .compute = of_subject}};
}

}  // namespace conoscope::metrics
