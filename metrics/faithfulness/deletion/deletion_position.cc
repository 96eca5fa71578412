// SPDX-License-Identifier: Apache-2.0
#include "metrics/faithfulness/deletion/deletion_position.h"

#include <numeric>

#include "metrics/faithfulness/class_assignment.h"
#include "metrics/faithfulness/deletion/deletion_order.h"
#include "metrics/faithfulness/deletion/deletion_parts.h"
#include "metrics/faithfulness/explained_head.h"
#include "metrics/faithfulness/model_logits.h"

namespace conoscope::metrics {

namespace {

PartsOverClasses delete_positions(const Subject& subject) {
  require_pooled_softmax(subject);
  const ExplainedHead& of = subject.once(explained_head);
  const HeadView& head = of.head();
  const std::vector<IndexVector>& labelled = subject.once(labelled_members);
  if (head.positions == 1) throw NotApplicable("there is one position only");
  const Index positions = head.positions, width = head.width();
  const Vector fill = of.pooled().colwise().mean().transpose();
  const auto model = [&](const MatrixRef& inputs) -> Matrix {
    HeadView left = {};
    left.activations = Eigen::Map<const Matrix>(inputs.data(), inputs.rows() * positions, width);
    left.positions = positions;
    left.weight = head.weight;
    left.bias = head.bias;
    left.pooling = head.pooling;
    return model_logits(left);
  };
  PartsOverClasses all;
  for (Index c = 0; c < head.outputs(); ++c) {
    const IndexVector& samples = labelled[static_cast<size_t>(c)];
    const Vector importance = of.explanation().importance(c);
    if (samples.empty() || importance.size() == 0) continue;
    const auto count = static_cast<Index>(samples.size());
    const Matrix rows = rows_of_samples(head.activations, positions, samples);
    const Eigen::Map<const Matrix> inputs(rows.data(), count, positions * width);
    all.add(deletion_parts(inputs, class_assignment(of.project(c, rows)).predictions,
                           deletion_order(importance), fill, IndexVector(samples.size(), c), model),
            count);
  }
  return all;
}

}  // namespace

std::vector<Metric> declare::deletion_position() {
  Metric accuracy{
      .name = "deletion_position_auc",
      .group = "deletion",
      .question =
          "Proxy: how accurate is the model as the positions of concepts are set to the mean? "
          "(this need not delete a concept, and may leave the data manifold)",
      .direction = Direction::kLower,
      .high = 1.0,
      .source =
          "Ghorbani et al., ACE, NeurIPS 2019, on embeddings in place of pixels; objections: "
          "arXiv 2504.10833, Sec. 4.1",
      .needs = {"head_view", "explanation", "labels"},
      .compute = [](const Subject& subject) -> Result {
        return {subject.once(delete_positions).auc.value()};
      }};
  Metric lost = accuracy;
  lost.name = "deletion_position_classes_lost";
  lost.question =
      "Proxy: how many classes lose over 80 % of their accuracy as the positions of concepts are "
      "set to the mean? (this need not delete a concept, and may leave the data manifold)";
  lost.direction = Direction::kHigher;
  lost.high = kUnbounded;
  lost.unit = "classes";
  lost.source =
      "Graziani et al., CDISCO (M1), 2023, on embeddings in place of pixels; objections: arXiv "
      "2504.10833, Sec. 4.1";
  lost.compute = [](const Subject& subject) -> Result {
    return {subject.once(delete_positions).classes_lost()};
  };
  return {accuracy, lost};
}

}  // namespace conoscope::metrics
