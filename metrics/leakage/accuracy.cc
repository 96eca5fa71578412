// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/accuracy.h"

#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>

#include "metrics/alignment/aligned_concepts.h"
#include "metrics/auc.h"
#include "metrics/leakage/leakage_columns.h"
#include "metrics/left_out.h"
#include "metrics/metric.h"
#include "numerics/checks.h"
#include "numerics/softmax.h"
#include "numerics/statistics/moments.h"

namespace conoscope::metrics {

namespace {

struct Hits {
  double both = 0.0, labels = 0.0, predictions = 0.0;
  double f1() const { return labels + predictions > 0.0 ? 2.0 * both / (labels + predictions) : 0; }
};

std::map<Index, Hits> tally(const char* name, std::span<const Index> labels,
                            std::span<const Index> predictions) {
  if (labels.empty() || labels.size() != predictions.size())
    numerics::refuse(name, std::to_string(labels.size()) + " labels and " +
                               std::to_string(predictions.size()) +
                               " predictions; both must be n >= 1");
  std::map<Index, Hits> out;
  for (size_t i = 0; i < labels.size(); ++i) {
    out[labels[i]].labels += 1.0;
    out[predictions[i]].predictions += 1.0;
    if (labels[i] == predictions[i]) out[labels[i]].both += 1.0;
  }
  return out;
}

}  // namespace

double accuracy(std::span<const Index> labels, std::span<const Index> predictions) {
  double hits = 0.0;
  for (const auto& [c, found] : tally("accuracy", labels, predictions)) hits += found.both;
  return hits / static_cast<double>(labels.size());
}

double f1_macro(std::span<const Index> labels, std::span<const Index> predictions) {
  double sum = 0.0;
  const auto classes = tally("f1_macro", labels, predictions);
  for (const auto& [c, found] : classes) sum += found.f1();
  return sum / static_cast<double>(classes.size());
}

namespace {

/// NaN where the truth, 0s and 1s, is constant.
double auc_unless_constant(const VectorRef& truth, const VectorRef& scores) {
  if (truth.minCoeff() == truth.maxCoeff()) return std::numeric_limits<double>::quiet_NaN();
  return auc(IndexVector(truth.begin(), truth.end()), scores);
}

}  // namespace

ConceptAccuracy concept_accuracy(const MatrixRef& probabilities, const MatrixRef& truth,
                                 bool strict) {
  constexpr const char* kName = "concept_accuracy";
  const Index n = truth.rows(), k = truth.cols();
  if (n < 1 || k < 1 || probabilities.rows() != n || probabilities.cols() != k)
    numerics::refuse(kName, "probabilities is " + numerics::shape_of(probabilities) +
                                " and truth " + std::to_string(n) + " x " + std::to_string(k) +
                                "; both must be n x k with n, k >= 1");
  numerics::require_finite(kName, "probabilities", probabilities);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < k; ++j)
      if (truth(i, j) != 0.0 && truth(i, j) != 1.0)
        numerics::refuse(kName, "truth is " + std::to_string(truth(i, j)) + " at row " +
                                    std::to_string(i) + ", column " + std::to_string(j) +
                                    "; it must be 0 or 1");
  ConceptAccuracy out;
  for (Index j = 0; j < k; ++j) {
    IndexVector labels, predictions;
    Vector thresholded(n);
    for (Index i = 0; i < n; ++i) {
      const double p = probabilities(i, j);
      labels.push_back(truth(i, j) == 1.0);
      predictions.push_back(strict ? p > 0.5 : p >= 0.5);
      thresholded(i) = static_cast<double>(predictions.back());
    }
    out.accuracy.push_back(accuracy(labels, predictions));
    out.f1.push_back(f1_macro(labels, predictions));
    out.auc.push_back(auc_unless_constant(truth.col(j), probabilities.col(j)));
    out.auc_thresholded.push_back(std::isnan(out.auc.back()) ? out.accuracy.back()
                                                             : auc(labels, thresholded));
  }
  return out;
}

IndexVector predicted_classes(const MatrixRef& outputs) {
  IndexVector out;
  for (Index i = 0; i < outputs.rows(); ++i) {
    Index best = 0;
    if (outputs.cols() == 1)
      best = outputs(i, 0) > 0.5;
    else
      for (Index c = 1; c < outputs.cols(); ++c)
        if (outputs(i, c) > outputs(i, best)) best = c;
    out.push_back(best);
  }
  return out;
}

namespace {

const Matrix& binary_truth(const Subject& subject) {
  named_concepts(subject);  // as many as annotated
  const Matrix& truth = subject.annotations().concepts;
  if (((truth.array() != 0.0) && (truth.array() != 1.0)).any())
    throw NotApplicable("the annotated concepts are not 0 and 1");
  return truth;
}

ConceptAccuracy of_probabilities(const Subject& subject) {
  const Matrix& truth = binary_truth(subject);
  if (aligned_by_truth(subject)) throw NotApplicable("concept scores are no probabilities");
  return concept_accuracy(subject.concepts().probabilities, truth);
}

Result concept_accuracy_of(const Subject& subject) {
  const auto& found = subject.once(of_probabilities).accuracy;
  return {numerics::mean(found), found};
}

Result concept_f1_of(const Subject& subject) {
  const auto& found = subject.once(of_probabilities).f1;
  return {numerics::mean(found), found};
}

Result concept_auc_of(const Subject& subject) {
  const Matrix& truth = binary_truth(subject);
  std::vector<double> found;
  if (aligned_by_truth(subject)) {  // without a threshold, but with an order
    const Matrix& scores = predicted_concepts(subject);
    for (Index j = 0; j < truth.cols(); ++j)
      found.push_back(auc_unless_constant(truth.col(j), scores.col(j)));
  } else {
    found = subject.once(of_probabilities).auc;
  }
  std::vector<double> defined = found;
  const auto constant = std::erase_if(defined, [](double value) { return std::isnan(value); });
  if (defined.empty()) throw std::domain_error("the truth of every concept is constant");
  if (constant == 0) return {numerics::mean(defined), found};
  return {numerics::mean(defined), found,
          left_out(static_cast<Index>(constant), "concept", "the truth is constant")};
}

const Matrix& task_outputs(const Subject& subject) {
  const Matrix& outputs = named_concepts(subject).outputs;
  if (outputs.size() == 0) throw NotApplicable("the model has no task outputs");
  return outputs;
}

Result task_accuracy_of(const Subject& subject) {
  return {accuracy(subject.annotations().labels, predicted_classes(task_outputs(subject)))};
}

Result task_f1_of(const Subject& subject) {
  return {f1_macro(subject.annotations().labels, predicted_classes(task_outputs(subject)))};
}

Result task_auc_of(const Subject& subject) {
  const Matrix p = task_outputs(subject);
  if (p.cols() == 1) return {auc(subject.annotations().labels, Vector(p.col(0)))};
  return {auc_one_vs_one(subject.annotations().labels, numerics::softmax(p))};
}

}  // namespace

std::vector<Metric> declare::accuracy() {
  const auto row = [](const char* name, const char* question, bool labelled,
                      Result (*compute)(const Subject&)) {
    Metric metric = leakage_row(name, question, Direction::kHigher,
                                "the common measure; as reported in Parisini et al., 2025",
                                labelled, labelled ? "" : "concept", compute);
    metric.high = 1.0;
    return metric;
  };
  Metric task_auc = row(
      "task_auc",
      "Do samples of a class get higher predicted probabilities of that class than other samples?",
      true, task_auc_of);
  task_auc.source = "Hand and Till, Machine Learning 45, 2001";
  return {
      row("concept_accuracy", "How often is a concept predicted correctly?", false,
          concept_accuracy_of),
      row("concept_f1",
          "How well is a concept predicted, by F1, with presence and absence counting equally?",
          false, concept_f1_of),
      row("concept_auc",
          "Do samples with a concept get higher predicted probabilities of it than those without?",
          false, concept_auc_of),
      row("task_accuracy", "How often is the label predicted correctly?", true, task_accuracy_of),
      row("task_f1", "How well is the label predicted, by F1, with all classes counting equally?",
          true, task_f1_of),
      task_auc,
  };
}

}  // namespace conoscope::metrics
