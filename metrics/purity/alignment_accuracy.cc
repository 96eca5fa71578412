// SPDX-License-Identifier: Apache-2.0
#include "metrics/purity/alignment_accuracy.h"

#include "metrics/metric.h"
#include "metrics/purity/concept_labels.h"
#include "metrics/purity/helper_networks.h"
#include "metrics/purity/ois.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

enum Stream : std::uint64_t { kSplit, kTraining };

}  // namespace

Matrix accuracy_matrix(const MatrixRef& c_hat, Index width, const MatrixRef& concepts,
                       std::uint64_t seed) {
  constexpr const char* kName = "accuracy_matrix";
  const detail::ConceptLabels labels = detail::concept_labels(kName, concepts);
  if (!labels.binary()) numerics::refuse(kName, "concepts must be 0 or 1");
  detail::require_representations(kName, c_hat, width, labels.samples());
  const detail::TrainTest rows = detail::split_80_20(kName, labels.samples(), seed, kSplit);
  const Index inputs = c_hat.cols() / width, k = concepts.cols();
  std::vector<detail::HelperTask> tasks;
  for (Index i = 0; i < inputs; ++i)
    for (Index j = 0; j < k; ++j) tasks.push_back({i, j, 1, false});
  Matrix out(inputs, k);
  const auto judge = [&](std::size_t task, const MatrixRef& logits) {
    const auto [i, j, outputs, softmax] = tasks[task];
    const auto& truth = labels.of[static_cast<std::size_t>(j)];
    Index right = 0;
    for (std::size_t t = 0; t < rows.test.size(); ++t)
      right += (logits(static_cast<Index>(t), 0) > 0.0) ==
               (truth[static_cast<std::size_t>(rows.test[t])] == 1);
    out(i, j) = static_cast<double>(right) / static_cast<double>(rows.test.size());
  };
  const PurityOptions like;
  const detail::HelperOptions helper{like.hidden, like.epochs, like.batch, 1e-3};
  detail::train_helper_networks(c_hat, width, concepts, rows, tasks, helper, seed, kTraining,
                                judge);
  return out;
}

namespace {

Result alignment_of(const Subject& subject) {
  const ConceptView& view = subject.concepts();
  const Matrix& truth = detail::binary_concepts(subject);
  if (truth.cols() < 2) throw NotApplicable("it is over several concepts, and there is one");
  const Vector best = accuracy_matrix(view.scores, view.width, truth, subject.seed())
                          .colwise()
                          .maxCoeff()
                          .transpose();
  return {best.mean(), {best.begin(), best.end()}};
}

}  // namespace

std::vector<Metric> declare::alignment_accuracy() {
  return {{
      .name = "alignment_accuracy",
      .group = "purity",
      .question = "How well is each annotated concept predicted by the one representation that "
                  "predicts it best?",
      .direction = Direction::kHigher,
      .high = 1.0,
      .source = "Yeh et al., NeurIPS 2020; Espinosa Zarlenga et al., AAAI 2023, Table A1",
      .needs = {"concept_view", "concepts"},
      .parts = "concept",
      .compute = alignment_of,
  }};
}

}  // namespace conoscope::metrics
