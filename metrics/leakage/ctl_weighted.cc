// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/ctl_weighted.h"

#include <stdexcept>
#include <string>

#include "metrics/leakage/ctl_icl.h"
#include "metrics/leakage/leakage_columns.h"
#include "metrics/metric.h"
#include "numerics/checks.h"

namespace conoscope::metrics {

double ctl_weighted(const VectorRef& concepts, const VectorRef& weights) {
  constexpr const char* kName = "ctl_weighted";
  if (concepts.size() < 1 || concepts.size() != weights.size())
    numerics::refuse(kName, std::to_string(concepts.size()) + " concepts and " +
                                std::to_string(weights.size()) + " weights; both must be k >= 1");
  numerics::require_finite_vector(kName, "concepts", concepts);
  numerics::require_finite_vector(kName, "weights", weights);
  if (weights.minCoeff() < 0.0) numerics::refuse(kName, "weights has an entry below 0");
  if (weights.sum() == 0.0) throw std::domain_error(std::string(kName) + ": all weights are 0");
  return weights.dot(concepts) / weights.sum();
}

namespace {

Result ctl_weighted_of(const Subject& subject) {
  const Result& each = subject.once(subject_ctl);
  const std::vector<double> weights =
      mi_concepts_task(subject.once(true_columns), subject.annotations().labels).mi;
  const auto vector = [](const std::vector<double>& values) {
    return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
  };
  return {ctl_weighted(vector(each.parts), vector(weights)), weights, each.caveat};
}

}  // namespace

std::vector<Metric> declare::ctl_weighted() {
  return {
      leakage_row("ctl_weighted",
                  "Do predicted concepts say more about the label than true ones, where those "
                  "count most that it depends on?",
                  Direction::kLower,
                  "Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025; "
                  "the weights are ours",
                  true, "concept", ctl_weighted_of)};
}

}  // namespace conoscope::metrics
