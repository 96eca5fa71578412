// SPDX-License-Identifier: Apache-2.0
#include "metrics/purity/probe.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "metrics/auc.h"
#include "metrics/metric.h"
#include "metrics/purity/concept_labels.h"
#include "metrics/purity/niche_network.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

constexpr std::uint64_t kSplit = 0;
constexpr NicheTraining kTraining{.hidden = 64};

Matrix test_probabilities(const MatrixRef& c_hat, const Matrix& targets,
                          const detail::TrainTest& rows) {
  const NicheNetwork network = train_niche_network(c_hat(rows.train, Eigen::all),
                                                   targets(rows.train, Eigen::all), kTraining);
  return network.probabilities(c_hat(rows.test, Eigen::all));
}

}  // namespace

Vector concept_probe_auc(const MatrixRef& c_hat, const MatrixRef& concepts, std::uint64_t seed) {
  constexpr const char* kName = "concept_probe_auc";
  const Index n = concepts.rows(), k = concepts.cols();
  if (k < 1) numerics::refuse(kName, "no concepts");
  detail::require_representations(kName, c_hat, 1, n);
  detail::require_binary(kName, concepts);
  const detail::TrainTest rows = detail::split_80_20(kName, n, seed, kSplit);
  Vector out(k);
  for (Index j = 0; j < k; ++j) {
    const Matrix target = concepts.col(j);
    IndexVector present;
    for (const Index row : rows.test) present.push_back(static_cast<Index>(target(row, 0)));
    if ((target.array() == target(0, 0)).all())
      throw std::domain_error(std::string(kName) + ": concept " + std::to_string(j) +
                              " is constant");
    const Vector scores = test_probabilities(c_hat, target, rows).col(0);
    out(j) = auc(present, scores);
  }
  return out;
}

double label_probe_auc(const MatrixRef& c_hat, std::span<const Index> labels, std::uint64_t seed) {
  constexpr const char* kName = "label_probe_auc";
  const Index n = static_cast<Index>(labels.size());
  detail::require_representations(kName, c_hat, 1, n);
  constexpr Index kMost = 1'000'000;
  Index classes = 2;
  for (const Index label : labels) {
    if (label < 0 || label > kMost)
      numerics::refuse(kName, "a label is " + std::to_string(label) + ", not in 0 ... 1000000");
    classes = std::max(classes, label + 1);
  }
  const detail::TrainTest rows = detail::split_80_20(kName, n, seed, kSplit);
  Matrix targets = Matrix::Zero(n, classes == 2 ? 1 : classes);
  for (Index i = 0; i < n; ++i) {
    const Index label = labels[static_cast<std::size_t>(i)];
    if (classes == 2)
      targets(i, 0) = static_cast<double>(label);
    else
      targets(i, label) = 1.0;
  }
  const Matrix scores = test_probabilities(c_hat, targets, rows);
  IndexVector present;
  for (const Index row : rows.test) present.push_back(labels[static_cast<std::size_t>(row)]);
  if (classes > 2) return auc_one_vs_rest(present, scores);
  const Vector column = scores.col(0);
  return auc(present, column);
}

namespace {

Result concepts_of(const Subject& subject) {
  const Matrix& truth = detail::binary_concepts(subject);
  const Vector found = concept_probe_auc(subject.concepts().scores, truth, subject.seed());
  return {found.mean(), {found.begin(), found.end()}};
}

Result label_of(const Subject& subject) {
  return {label_probe_auc(subject.concepts().scores, subject.annotations().labels, subject.seed())};
}

}  // namespace

std::vector<Metric> declare::probe() {
  Metric concepts{
      .name = "concept_probe_auc",
      .group = "purity",
      .question =
          "How well does a network predict the annotated concepts from all representations "
          "together?",
      .direction = Direction::kHigher,
      .high = 1.0,
      .source = "Espinosa Zarlenga et al., AAAI 2023, App. A.11",
      .needs = {"concept_view", "concepts"},
      .parts = "concept",
      .compute = concepts_of,
  };
  Metric label = concepts;
  label.name = "label_probe_auc";
  label.question = "How well does a network predict the label from all representations together?";
  label.source = "Espinosa Zarlenga et al., AAAI 2023, App. A.9";
  label.needs = {"concept_view", "concepts", "labels"};
  label.parts = "";
  label.compute = label_of;
  return {concepts, label};
}

}  // namespace conoscope::metrics
