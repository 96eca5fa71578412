// SPDX-License-Identifier: Apache-2.0
#include "metrics/leakage/true_concept_information.h"

#include <numeric>

#include "metrics/information/concept_information.h"
#include "metrics/metric.h"

namespace conoscope::metrics {

namespace {

ConceptColumns whole_columns(const Subject& subject) {
  const Matrix& truth = subject.annotations().concepts;
  if (!is_whole_valued(truth)) throw NotApplicable("the annotated concepts are not whole numbers");
  return truth;
}

Result mean_of(const std::vector<double>& values) {
  return {std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()),
          values};
}

Result between_concepts(const Subject& subject) {
  if (subject.annotations().concepts.cols() < 2) throw NotApplicable("one concept has no pairs");
  return mean_of(mi_interconcept(subject.once(whole_columns)).normalised);
}

Result about_task(const Subject& subject) {
  return mean_of(
      mi_concepts_task(subject.once(whole_columns), subject.annotations().labels).normalised);
}

}  // namespace

std::vector<Metric> declare::true_concept_information() {
  Metric between{
      .name = "mi_true_ic",
      .group = "leakage",
      .question = "How much do the annotated concepts say about each other?",
      .high = 1.0,
      .source =
          "Parisini et al., Leakage and Interpretability in Concept-Based Models, 2025, Fig. 14",
      .needs = {"concept_view", "concepts"},
      .parts = "concept pair",
      .compute = between_concepts,
  };
  Metric task = between;
  task.name = "mi_true_ct";
  task.question = "How much do the annotated concepts say about the label?";
  task.needs.push_back("labels");
  task.parts = "concept";
  task.compute = about_task;
  return {between, task};
}

}  // namespace conoscope::metrics
