#include "metrics/leakage/ctl_icl.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "numerics/checks.h"

namespace conoscope::metrics {

namespace {

void require_pair(const char* name, const MatrixRef& predicted, const MatrixRef& truth) {
  if (predicted.rows() != truth.rows() || predicted.cols() != truth.cols())
    numerics::refuse(name, "predicted is " + std::to_string(predicted.rows()) + " x " +
                               std::to_string(predicted.cols()) + " and truth " +
                               std::to_string(truth.rows()) + " x " + std::to_string(truth.cols()) +
                               "; both must be n x k");
  numerics::require_finite(name, "predicted", predicted);
  numerics::require_finite(name, "truth", truth);
  if (!is_whole_valued(truth))
    numerics::refuse(name, "truth is not made of whole numbers; true concepts are labels");
}

// How far each entry rises above the other's, where it does.
std::vector<double> excess(const std::vector<double>& predicted, const std::vector<double>& truth) {
  std::vector<double> out;
  for (size_t i = 0; i < predicted.size(); ++i)
    out.push_back(std::max(0.0, predicted[i] - truth[i]));
  return out;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

Ctl ctl(const MatrixRef& predicted, const MatrixRef& truth, std::span<const Index> labels,
        const ConceptInformationOptions& options) {
  require_pair("ctl", predicted, truth);
  Ctl out;
  out.predicted = mi_concepts_task(predicted, labels, options);
  out.truth = mi_concepts_task(truth, labels, options);
  out.concepts = excess(out.predicted.normalised, out.truth.normalised);
  out.value = mean(out.concepts);
  return out;
}

Icl icl(const MatrixRef& predicted, const MatrixRef& truth,
        const ConceptInformationOptions& options) {
  require_pair("icl", predicted, truth);
  const Index k = predicted.cols();
  if (k < 2)
    numerics::refuse("icl",
                     "predicted has " + std::to_string(k) + " concept; pairs need at least two");
  Icl out;
  out.predicted = mi_interconcept(predicted, options);
  out.truth = mi_interconcept(truth, options);
  out.pairs = excess(out.predicted.normalised, out.truth.normalised);
  out.concepts.assign(static_cast<size_t>(k), 0.0);
  size_t at = 0;
  for (size_t i = 0; i < out.concepts.size(); ++i)
    for (size_t j = i + 1; j < out.concepts.size(); ++j, ++at) {
      out.concepts[i] += out.pairs[at] / static_cast<double>(k - 1);
      out.concepts[j] += out.pairs[at] / static_cast<double>(k - 1);
    }
  out.value = mean(out.concepts);
  return out;
}

}  // namespace conoscope::metrics
