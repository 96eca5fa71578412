// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/calibration.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "metrics/alignment/aligned_concepts.h"
#include "metrics/metric.h"
#include "numerics/checks.h"
#include "numerics/random.h"
#include "numerics/softmax.h"
#include "numerics/statistics/moments.h"

namespace conoscope::metrics {

namespace {

constexpr const char* kName = "calibration";
constexpr int kDraws = 20;  // of the null

void require_probabilities(const MatrixRef& p) {
  numerics::require_filled(kName, "probabilities", p);
  if (p.minCoeff() < 0.0 || p.maxCoeff() > 1.0)
    numerics::refuse(kName, "probabilities has entries outside 0 ... 1");
}

}  // namespace

Calibration calibration(const VectorRef& confidence, const VectorRef& right, Index bins) {
  require_probabilities(confidence);
  numerics::require_at_least(kName, "bins", bins, 1);
  if (right.size() != confidence.size())
    numerics::refuse(kName, "confidence has " + std::to_string(confidence.size()) +
                                " samples and right " + std::to_string(right.size()) +
                                "; they must be as many");
  Vector distance = Vector::Zero(bins);  // n_b (conf_b - acc_b)
  Calibration out;
  out.counts.assign(static_cast<size_t>(bins), 0);
  for (Index i = 0; i < confidence.size(); ++i) {
    const Index bin =
        std::min(static_cast<Index>(confidence(i) * static_cast<double>(bins)), bins - 1);
    distance(bin) += confidence(i) - right(i);
    ++out.counts[static_cast<size_t>(bin)];
  }
  const auto n = static_cast<double>(confidence.size());
  for (Index b = 0; b < bins; ++b) {
    const auto count = static_cast<double>(out.counts[static_cast<size_t>(b)]);
    if (count == 0.0) continue;
    const double gap = std::abs(distance(b)) / count;
    out.ece += count / n * gap;
    out.rms += count / n * gap * gap;
    out.max = std::max(out.max, gap);
  }
  out.rms = std::sqrt(out.rms);
  return out;
}

Matrix class_probabilities(const MatrixRef& outputs) {
  if (outputs.cols() > 1) return numerics::softmax(outputs);
  Matrix out(outputs.rows(), 2);
  out << 1.0 - outputs.array(), outputs;
  return out;
}

Calibration class_calibration(const MatrixRef& probabilities, const IndexVector& labels,
                              Index bins) {
  require_probabilities(probabilities);
  numerics::require_labels(kName, labels, probabilities.rows(), probabilities.cols());
  Vector confidence(probabilities.rows()), right(probabilities.rows());
  for (Index i = 0; i < probabilities.rows(); ++i) {
    Index chosen = 0;
    confidence(i) = probabilities.row(i).maxCoeff(&chosen);
    right(i) = chosen == labels[static_cast<size_t>(i)] ? 1.0 : 0.0;
  }
  return calibration(confidence, right, bins);
}

double brier(const MatrixRef& probabilities, const IndexVector& labels) {
  require_probabilities(probabilities);
  numerics::require_labels(kName, labels, probabilities.rows(), probabilities.cols());
  Matrix distance = probabilities;
  for (Index i = 0; i < distance.rows(); ++i) distance(i, labels[static_cast<size_t>(i)]) -= 1.0;
  return distance.squaredNorm() / static_cast<double>(distance.rows());
}

double brier(const VectorRef& probability, const VectorRef& present) {
  require_probabilities(probability);
  if (present.size() != probability.size())
    numerics::refuse(kName, "probability has " + std::to_string(probability.size()) +
                                " samples and present " + std::to_string(present.size()) +
                                "; they must be as many");
  return (probability - present).squaredNorm() / static_cast<double>(probability.size());
}

namespace {

Index bins_of(const std::vector<Setting>& settings) { return settings.front().value; }

/// Whether what had these probabilities happened, had they been right.
Vector drawn(const VectorRef& probability, numerics::Random& random) {
  Vector out(probability.size());
  for (Index i = 0; i < out.size(); ++i) out(i) = random.uniform() < probability(i) ? 1.0 : 0.0;
  return out;
}

double null_ece(const VectorRef& confidence, Index bins, numerics::Random& random) {
  double sum = 0.0;
  for (int draw = 0; draw < kDraws; ++draw)
    sum += calibration(confidence, drawn(confidence, random), bins).ece;
  return sum / kDraws;
}

struct ConceptProbabilities {
  Matrix probability, present;  ///< n x k
};

ConceptProbabilities concept_probabilities(const Subject& subject) {
  const Matrix& probability = named_concepts(subject).probabilities;
  const Matrix& present = subject.annotations().concepts;
  if (probability.size() == 0 || aligned_by_truth(subject))
    throw NotApplicable("the model gives no probabilities of concepts");
  if (probability.cols() != present.cols())
    throw NotApplicable("the model has " + std::to_string(probability.cols()) +
                        " concepts, the annotations " + std::to_string(present.cols()));
  if ((present.array() != 0.0 && present.array() != 1.0).any())
    throw NotApplicable("the annotated concepts are not binary");
  return {probability, present};
}

/// of(probability, present) for each concept, and its mean.
template <typename Of>
Result mean_over_concepts(const Subject& subject, const Of& of) {
  const ConceptProbabilities& found = subject.once(concept_probabilities);
  Result out;
  for (Index j = 0; j < found.present.cols(); ++j)
    out.parts.push_back(of(Vector(found.probability.col(j)), Vector(found.present.col(j))));
  out.value = numerics::mean(out.parts);
  return out;
}

Result concept_ece_of(const Subject& subject, const std::vector<Setting>& settings) {
  return mean_over_concepts(subject, [&](const Vector& probability, const Vector& present) {
    return calibration(probability, present, bins_of(settings)).ece;
  });
}

Result concept_ece_null_of(const Subject& subject, const std::vector<Setting>& settings) {
  numerics::Random random(numerics::Seed(subject.seed()).child("concept_ece_null"));
  return mean_over_concepts(subject, [&](const Vector& probability, const Vector&) {
    return null_ece(probability, bins_of(settings), random);
  });
}

Result concept_brier_of(const Subject& subject) {
  return mean_over_concepts(subject, [](const Vector& probability, const Vector& present) {
    return brier(probability, present);
  });
}

Matrix task_probabilities(const Subject& subject) {
  const Matrix& outputs = subject.concepts().outputs;
  if (outputs.size() == 0) throw NotApplicable("the model has no task outputs");
  return class_probabilities(outputs);
}

Result task_ece_of(const Subject& subject, const std::vector<Setting>& settings) {
  return {class_calibration(subject.once(task_probabilities), subject.annotations().labels,
                            bins_of(settings))
              .ece};
}

Result task_ece_null_of(const Subject& subject, const std::vector<Setting>& settings) {
  numerics::Random random(numerics::Seed(subject.seed()).child("task_ece_null"));
  return {
      null_ece(subject.once(task_probabilities).rowwise().maxCoeff(), bins_of(settings), random)};
}

Result task_brier_of(const Subject& subject) {
  return {brier(subject.once(task_probabilities), subject.annotations().labels)};
}

}  // namespace

std::vector<Metric> declare::calibration() {
  Metric concepts{
      .name = "concept_brier",
      .group = "calibration",
      .question = "How far are the probabilities of concepts from their presence?",
      .direction = Direction::kLower,
      .high = 1.0,
      .source = "Brier, Monthly Weather Review 78, 1950",
      .needs = {"concept_view", "concepts"},
      .parts = "concept",
      .compute = concept_brier_of,
  };
  Metric task = concepts;
  task.name = "task_brier";
  task.question = "How far are the probabilities of classes from the label?";
  task.high = 2.0;
  task.needs = {"concept_view", "labels"};
  task.parts = "";
  task.compute = task_brier_of;
  const auto binned = [](Metric metric, const char* name, const char* question, Direction direction,
                         Result (*compute)(const Subject&, const std::vector<Setting>&)) {
    metric.name = name;
    metric.question = question;
    metric.direction = direction;
    metric.high = 1.0;
    metric.source = "Guo et al., On Calibration of Modern Neural Networks, ICML 2017";
    metric.settings = {{"bins", 10}};
    metric.compute = nullptr;
    metric.compute_with = compute;
    return metric;
  };
  return {
      binned(concepts, "concept_ece",
             "Do the probabilities of concepts say how often they are there?", Direction::kLower,
             concept_ece_of),
      binned(concepts, "concept_ece_null",
             "How large is the calibration error of so many samples where the probabilities are "
             "right?",
             Direction::kNone, concept_ece_null_of),
      concepts,
      binned(task, "task_ece",
             "Does the probability of the predicted class say how often it is right?",
             Direction::kLower, task_ece_of),
      binned(
          task, "task_ece_null",
          "How large is the calibration error of so many predictions where their probabilities are "
          "right?",
          Direction::kNone, task_ece_null_of),
      task,
  };
}

}  // namespace conoscope::metrics
