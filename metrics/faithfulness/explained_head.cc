// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/explained_head.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "metrics/faithfulness/affine.h"
#include "metrics/faithfulness/class_assignment.h"
#include "metrics/faithfulness/model_logits.h"
#include "metrics/metric.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "head view";

}  // namespace

ExplainedHead::ExplainedHead(const HeadView& head, const Explanation& explanation)
    : head_(&head), explanation_(explanation) {
  detail::require_head(kName, head);
  if (explanation.outputs() != head.outputs())
    numerics::refuse("explanation", "it has " + std::to_string(explanation.outputs()) +
                                        " outputs, the head " + std::to_string(head.outputs()));
  if (explanation.linear() && explanation.cavs.rows() > 0 &&
      explanation.cavs.cols() != head.width())
    numerics::refuse("explanation", "the CAVs have " + std::to_string(explanation.cavs.cols()) +
                                        " features, the activations " +
                                        std::to_string(head.width()));
  numerics::require_finite(kName, "weight", head.weight);
  numerics::require_finite_vector(kName, "bias", head.bias);
  pooled_ = detail::pool_positions(head);
  // A sum over positions carries every NaN and infinity, and is the smaller one to look through.
  if (numerics::all_finite(pooled())) return;
  require_finite_rows(kName, "activations", head.activations, head.positions);
  throw std::domain_error("head view: the sum of activations over positions overflows");
}

ExplainedHead explained_head(const Subject& subject) {
  return {subject.head(), subject.explanation()};
}

ExplainedHead explained_train_head(const Subject& subject) {
  return {subject.train_head(), subject.explanation()};
}

Logits model_logits_of(const Subject& subject) {
  const ExplainedHead& of = subject.once(explained_head);
  return of.flatten() || !of.head().last_layer()
             ? model_logits(of.head())
             : model_logits(of.pooled(), of.head().weight, of.head().bias);
}

std::vector<IndexVector> predicted_members(const Subject& subject) {
  return class_assignment(subject.once(model_logits_of)).members;
}

IndexVector labels_of(const Subject& subject) {
  const IndexVector& labels = subject.annotations().labels;
  numerics::require_labels("labels", labels, subject.head().samples(), subject.head().outputs());
  return labels;
}

std::vector<IndexVector> labelled_members(const Subject& subject) {
  std::vector<IndexVector> members(static_cast<size_t>(subject.head().outputs()));
  Index sample = 0;
  for (const Index label : subject.once(labels_of))
    members[static_cast<size_t>(label)].push_back(sample++);
  return members;
}

void require_softmax(const Subject& subject) {
  if (subject.head().output != Output::kSoftmax)
    throw NotApplicable("the outputs are not a softmax's");
}

void require_last_layer(const Subject& subject) {
  if (!subject.head().last_layer())
    throw NotApplicable(
        "the layer is not the last one, and altered activations would be read as if it were");
}

void require_pooled(const Subject& subject) {
  if (subject.head().pooling == Pooling::kFlatten)
    throw NotApplicable("a flatten head has other weights for each position");
}

void require_pooled_softmax(const Subject& subject) {
  require_softmax(subject);
  require_last_layer(subject);
  require_pooled(subject);
}

}  // namespace conoscope::metrics
