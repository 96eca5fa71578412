// SPDX-License-Identifier: Apache-2.0
#include "metrics/auc.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

double auc_of_pairs(std::vector<std::pair<double, bool>>& samples, const char* name) {
  std::sort(samples.begin(), samples.end());
  double below = 0.0, won = 0.0, positives = 0.0;  // whole and half numbers: no rounding
  for (size_t begin = 0; begin < samples.size();) {
    double tied_positive = 0.0, tied_negative = 0.0;
    size_t end = begin;
    for (; end < samples.size() && samples[end].first == samples[begin].first; ++end)
      (samples[end].second ? tied_positive : tied_negative) += 1.0;
    won += tied_positive * (below + 0.5 * tied_negative);
    below += tied_negative;
    positives += tied_positive;
    begin = end;
  }
  if (positives == 0.0 || below == 0.0)
    throw std::domain_error(std::string(name) + ": labels holds one class only");
  return won / (positives * below);
}

std::vector<bool> classes_present(const char* name, std::span<const Index> labels,
                                  const MatrixRef& scores) {
  numerics::require_labels(name, IndexVector(labels.begin(), labels.end()), scores.rows(),
                           scores.cols());
  numerics::require_finite(name, "scores", scores);
  std::vector<bool> present(static_cast<size_t>(scores.cols()), false);
  for (const Index label : labels) present[static_cast<size_t>(label)] = true;
  if (std::count(present.begin(), present.end(), true) < 2)
    throw std::domain_error(std::string(name) + ": labels holds one class only");
  return present;
}

}  // namespace

double auc(std::span<const Index> labels, const VectorRef& scores) {
  numerics::require_labels("auc", IndexVector(labels.begin(), labels.end()), scores.size(), 2);
  numerics::require_finite_vector("auc", "scores", scores);
  std::vector<std::pair<double, bool>> samples;
  for (Index i = 0; i < scores.size(); ++i)
    samples.emplace_back(scores(i), labels[static_cast<size_t>(i)] == 1);
  return auc_of_pairs(samples, "auc");
}

double auc_one_vs_rest(std::span<const Index> labels, const MatrixRef& scores) {
  const std::vector<bool> present = classes_present("auc_one_vs_rest", labels, scores);
  double sum = 0.0, classes = 0.0;
  for (Index c = 0; c < scores.cols(); ++c) {
    if (!present[static_cast<size_t>(c)]) continue;
    std::vector<std::pair<double, bool>> samples;
    for (Index i = 0; i < scores.rows(); ++i)
      samples.emplace_back(scores(i, c), labels[static_cast<size_t>(i)] == c);
    sum += auc_of_pairs(samples, "auc_one_vs_rest");
    classes += 1.0;
  }
  return sum / classes;
}

double auc_one_vs_one(std::span<const Index> labels, const MatrixRef& scores) {
  const std::vector<bool> present = classes_present("auc_one_vs_one", labels, scores);
  double sum = 0.0, pairs = 0.0;
  for (Index a = 0; a < scores.cols(); ++a)
    for (Index b = 0; b < scores.cols(); ++b) {
      if (a == b || !present[static_cast<size_t>(a)] || !present[static_cast<size_t>(b)]) continue;
      std::vector<std::pair<double, bool>> samples;
      for (Index i = 0; i < scores.rows(); ++i)
        if (const Index label = labels[static_cast<size_t>(i)]; label == a || label == b)
          samples.emplace_back(scores(i, a), label == a);
      sum += auc_of_pairs(samples, "auc_one_vs_one");
      pairs += 1.0;
    }
  return sum / pairs;
}

}  // namespace conoscope::metrics
