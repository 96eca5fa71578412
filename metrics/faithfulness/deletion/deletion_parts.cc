// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/deletion/deletion_parts.h"

#include <numeric>
#include <string>

#include "metrics/faithfulness/class_assignment.h"
#include "metrics/faithfulness/deletion/deletion_order.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "deletion_parts";
constexpr double kKept = 0.2;  // a class below this share of its first accuracy is lost

Matrix answer(const PartsModel& model, const MatrixRef& inputs) {
  Matrix logits = model(inputs);
  if (logits.rows() != inputs.rows())
    numerics::refuse(kName, "the model answered " + std::to_string(logits.rows()) + " rows for " +
                                std::to_string(inputs.rows()) + " samples");
  return logits;
}

/// Paints over a concept's parts.
///
/// returns  the samples that had any
IndexVector delete_parts(Matrix& inputs, const IndexVector& concept_of, Index deleted,
                         const VectorRef& fill) {
  const Index width = fill.size(), parts = inputs.cols() / width;
  IndexVector changed;
  for (Index i = 0; i < inputs.rows(); ++i) {
    bool any = false;
    for (Index p = 0; p < parts; ++p) {
      if (concept_of[static_cast<size_t>(i * parts + p)] != deleted) continue;
      inputs.block(i, p * width, 1, width) = fill.transpose();
      any = true;
    }
    if (any) changed.push_back(i);
  }
  return changed;
}

void append(PartDeletion& result, const Matrix& logits, const IndexVector& labels) {
  const auto n = static_cast<Index>(labels.size());
  const IndexVector predictions = class_assignment(logits).predictions;
  Eigen::RowVectorXd right = Eigen::RowVectorXd::Zero(logits.cols()), count = right;
  for (size_t i = 0; i < labels.size(); ++i) {
    count(labels[i]) += 1.0;
    right(labels[i]) += predictions[i] == labels[i];
  }
  result.accuracy.push_back(right.sum() / static_cast<double>(n));
  result.by_class.conservativeResize(result.by_class.rows() + 1, logits.cols());
  const Index step = result.by_class.rows() - 1;
  Index lost = 0;
  for (Index c = 0; c < logits.cols(); ++c) {
    result.by_class(step, c) = count(c) > 0.0 ? right(c) / count(c) : 1.0;
    lost += count(c) > 0.0 && result.by_class(step, c) < kKept * result.by_class(0, c);
  }
  result.classes_lost.push_back(lost);
}

}  // namespace

PartDeletion deletion_parts(const MatrixRef& inputs, const IndexVector& concept_of,
                            const IndexVector& order, const VectorRef& fill,
                            const IndexVector& labels, const PartsModel& model) {
  const Index n = inputs.rows(), width = fill.size();
  const Index parts = width > 0 ? inputs.cols() / width : 0;
  if (n < 1 || parts < 1 || parts * width != inputs.cols() ||
      static_cast<Index>(concept_of.size()) != n * parts || order.empty() ||
      static_cast<Index>(labels.size()) != n)
    numerics::refuse(kName, "inputs " + std::to_string(n) + " x " + std::to_string(inputs.cols()) +
                                ", a fill of " + std::to_string(width) + ", " +
                                std::to_string(concept_of.size()) + " assigned parts, " +
                                std::to_string(order.size()) + " concepts and " +
                                std::to_string(labels.size()) + " labels do not fit together");
  numerics::require_finite(kName, "inputs", inputs);
  numerics::require_finite_vector(kName, "fill", fill);

  PartDeletion result;
  Matrix left = inputs;
  Matrix logits = answer(model, left);
  numerics::require_labels(kName, labels, n, logits.cols());
  append(result, logits, labels);
  for (const Index deleted : order) {
    const IndexVector changed = delete_parts(left, concept_of, deleted, fill);
    if (!changed.empty()) {
      const Matrix again = answer(model, rows_at(left, changed));
      if (again.cols() != logits.cols())
        numerics::refuse(kName, "the model has answered " + std::to_string(logits.cols()) +
                                    " outputs, and now " + std::to_string(again.cols()));
      for (size_t i = 0; i < changed.size(); ++i)
        logits.row(changed[i]) = again.row(static_cast<Index>(i));
    }
    append(result, logits, labels);
  }
  return result;
}

void PartsOverClasses::add(const PartDeletion& of_class, Index samples) {
  auc.add(deletion_auc(of_class.accuracy), samples);
  const std::vector<Index>& steps = of_class.classes_lost;
  lost += static_cast<double>(std::accumulate(steps.begin(), steps.end(), Index{0})) /
          static_cast<double>(steps.size() - 1);
}

double PartsOverClasses::classes_lost() const {
  auc.value();
  return lost;
}

}  // namespace conoscope::metrics
