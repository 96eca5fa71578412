#include "metrics/leakage/accuracy.h"

#include <limits>
#include <map>
#include <stdexcept>
#include <string>

#include "metrics/auc.h"
#include "numerics/checks.h"

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

double f1_of_class(std::span<const Index> labels, std::span<const Index> predictions, Index c) {
  const auto classes = tally("f1_of_class", labels, predictions);
  const auto found = classes.find(c);
  return found == classes.end() ? 0.0 : found->second.f1();
}

ConceptAccuracy concept_accuracy(const MatrixRef& probabilities, const MatrixRef& truth,
                                 bool strict) {
  constexpr const char* kName = "concept_accuracy";
  const Index n = truth.rows(), k = truth.cols();
  if (n < 1 || k < 1 || probabilities.rows() != n || probabilities.cols() != k)
    numerics::refuse(kName, "probabilities is " + std::to_string(probabilities.rows()) + " x " +
                                std::to_string(probabilities.cols()) + " and truth " +
                                std::to_string(n) + " x " + std::to_string(k) +
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
    const bool constant = truth.col(j).minCoeff() == truth.col(j).maxCoeff();
    out.auc.push_back(constant ? std::numeric_limits<double>::quiet_NaN()
                               : auc(labels, Vector(probabilities.col(j))));
    out.auc_thresholded.push_back(constant ? out.accuracy.back() : auc(labels, thresholded));
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

}  // namespace conoscope::metrics
